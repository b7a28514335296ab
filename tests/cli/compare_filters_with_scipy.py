"""Compares `upsweep image gaussian` of 16-bit pictures with SciPy, and bilateral with its contract summed in NumPy and,
where it is there, with OpenCV: compare_filters_with_scipy.py COMMAND. Ends with 77 where SciPy is not."""
import os
import subprocess
import sys
import tempfile

import numpy as np

try:
    from scipy import ndimage
except ImportError:
    sys.exit(77)
try:
    import cv2
except ImportError:
    cv2 = None

command = os.path.abspath(sys.argv[1])
rng = np.random.default_rng(17)
differences = compared = 0


def filtered(picture, *arguments):
    height, width = picture.shape
    with open("in.pgm", "wb") as file:
        file.write(b"P5\n%d %d\n65535\n" % (width, height) + picture.astype(">u2").tobytes())
    subprocess.run([command, "image", arguments[0], "in.pgm", "out.pgm", *arguments[1:], "--device", "cpu"], check=True, stdout=subprocess.DEVNULL)
    with open("out.pgm", "rb") as file:
        data = file.read()
    header, rest = data[: data.index(b"65535") + 6], data[data.index(b"65535") + 6 :]
    assert header.split()[:3] == [b"P5", b"%d" % width, b"%d" % height]
    return np.frombuffer(rest, ">u2").reshape(height, width).astype(np.float64)


def expect(what, got, wanted, most):
    global differences, compared
    compared += 1
    off = float(np.max(np.abs(got - wanted)))
    if not off <= most:
        differences += 1
        print(f"{what}: off by {off} of 65535")


def bilateral(picture, space, colour):
    """The contract of upsweep/filters.hpp."""
    x = picture / 65535.0
    reach = max(1, int(np.ceil(np.float32(2.5) * np.float32(space))))
    padded = np.pad(x, reach, mode="reflect")
    sums, weights = np.zeros_like(x), np.zeros_like(x)
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            if dx * dx + dy * dy <= reach * reach:
                there = padded[reach + dy : reach + dy + x.shape[0], reach + dx : reach + dx + x.shape[1]]
                far = (there - x) ** 2 / (2 * colour**2)
                weight = np.where(far < 17, np.exp(-far - (dx * dx + dy * dy) / (2 * space**2)), 0)
                sums, weights = sums + weight * there, weights + weight
    return sums / weights * 65535


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    noise = rng.integers(0, 65536, (90, 120)).astype(np.uint16)
    halves = np.where(np.arange(120) < 60, 0, 65535).astype(np.uint16) * np.ones((90, 1), np.uint16)
    dot = np.zeros((90, 120), np.uint16)
    dot[45, 60] = 65535
    smooth = (np.add.outer(np.arange(90), np.arange(120)) * 300).astype(np.uint16)
    for name, picture in {"noise": noise, "halves": halves, "dot": dot, "smooth": smooth}.items():
        for sigma in [0.5, 1, 1.7, 3, 6.2, 11]:
            wanted = ndimage.gaussian_filter(picture.astype(np.float64), sigma, mode="mirror", truncate=9)
            expect(f"gaussian {sigma} of {name}", filtered(picture, "gaussian", "--sigma", str(sigma)), wanted, 1)
        for space, colour in [(1, 0.1), (1.9, 0.05), (3, 0.2), (4.1, 1)]:
            got = filtered(picture, "bilateral", "--space", str(space), "--range", str(colour))
            expect(f"bilateral {space},{colour} of {name}", got, bilateral(picture, space, colour), 1)
            if cv2 is not None:
                reach = max(1, int(np.ceil(2.5 * space)))
                theirs = cv2.bilateralFilter(picture.astype(np.float32) / 65535, 2 * reach + 1, colour, space, borderType=cv2.BORDER_REFLECT_101)
                expect(f"bilateral {space},{colour} of {name} by OpenCV", got, theirs * 65535.0, 8)  # by its table of exponentials

print(f"{compared} pictures compared, {differences} differ")
sys.exit(differences > 0)
