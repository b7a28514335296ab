"""Compares pictures with PIL: those in Debian's packages, and TIFF, WebP and GIF files of many kinds converted from them:
compare_pictures_with_pil.py COMMAND"""
import glob
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from PIL import Image, features
except ImportError:
    print("neither NumPy nor PIL is here")
    sys.exit(77)

command = os.path.abspath(sys.argv[1])
Image.MAX_IMAGE_PIXELS = None
agree, off, differences = {}, set(), 0


def wrong(what, how):
    global differences
    differences += 1
    print(f"{what}: {how}")


# Transparent pixels have no defined colour.
def seen(picture):
    pixels = np.asarray(picture.convert("RGBA")).astype(int)
    return np.where(pixels[..., 3:] > 0, pixels, 0)


def read(path, *filter):
    result = subprocess.run([command, "image", *(filter or ("box", "--size", "1")), path, "out.png"], capture_output=True)
    said = result.stderr.decode(errors="replace")
    if result.returncode:
        if "is off in this build" in said:
            off.add(said.split(": ", 2)[2].split(" is off")[0])
            return None
        wrong(path, f"status {result.returncode}: {said}")
        return None
    return Image.open("out.png"), said


def expect_same(what, path, wanted, within=0):
    got = read(path)
    if got is None:
        return
    a, b = seen(got[0]), seen(wanted)
    if a.shape != b.shape or np.abs(a - b).max() > within:
        return wrong(what, f"{a.shape} and {b.shape} differ" + (f" by {np.abs(a - b).max()}" if a.shape == b.shape else ""))
    if ("the first is used" in got[1]) != (getattr(wanted, "n_frames", 1) > 1):
        return wrong(what, f"of {wanted.n_frames} it says {got[1]!r}")
    kind = what.split()[0]
    agree[kind] = agree.get(kind, 0) + 1


def expect_refusal(what, path, word=""):
    if os.path.exists("out.png"):
        os.remove("out.png")
    result = subprocess.run([command, "image", "sobel", path, "out.png"], capture_output=True, text=True)
    if result.returncode <= 0 or result.stderr.count("\n") != 1 or word not in result.stderr or os.path.exists("out.png"):
        return wrong(what, f"status {result.returncode}: {result.stderr!r}")
    agree["refused"] = agree.get("refused", 0) + 1


def found():
    for ending, most in ("png", 40), ("gif", 200), ("webp", 200), ("tif*", 200), ("jpg", 20):
        paths = sorted(p for place in ("/usr/share", "/usr/lib/python3") for p in glob.glob(f"{place}/**/*.{ending}", recursive=True))
        for path in paths[::max(1, len(paths) // most)]:
            try:
                picture = Image.open(path)
                picture.load()
            except Exception:
                continue
            if ending == "jpg" and picture.getexif().get(0x0112, 1) != 1 or picture.mode.startswith(("I", "F")):
                continue
            expect_same(f"found.{ending} {path}", path, picture, 1 if ending == "jpg" else 0)


def made():
    paths = sorted(glob.glob("/usr/share/**/*.png", recursive=True))
    pictures = [Image.open(p).convert("RGBA") for p in paths[::max(1, len(paths) // 3)]]
    subprocess.run([command, "image", "test-picture", "made.png", "--size", "301x203", "--channels", "4"], check=True)
    for i, rgba in enumerate([Image.open("made.png"), *pictures]):
        for mode in "1", "L", "LA", "RGB", "RGBA", "P", "CMYK", "YCbCr":
            picture = rgba.convert(mode) if mode in ("L", "LA", "RGB", "RGBA") else rgba.convert("RGB").convert(mode)
            for packing in [None, "tiff_lzw", "tiff_adobe_deflate", "packbits"] + ["group4"] * (mode == "1"):
                picture.save("x.tif", compression=packing)
                expect_same(f"made.tiff {i} {mode} {packing}", "x.tif", picture, 1 if mode in ("CMYK", "YCbCr") else 0)
        wide = np.asarray(rgba.convert("L")).astype(np.uint16) * 257 - 3 * (np.asarray(rgba.convert("L")) > 9)
        Image.fromarray(wide.astype(np.uint16)).save("x.tif")
        got = read("x.tif")
        if got and not np.array_equal(np.asarray(got[0]).astype(int), wide):
            wrong(f"made.tiff {i} of 16 bits", "is another")
        rgb = rgba.convert("RGB")
        rgb.save("x.tif", compression="jpeg", quality=95)
        expect_same(f"made.tiff {i} jpeg", "x.tif", Image.open("x.tif"), 2)
        if features.check("webp"):
            for mode in "RGB", "RGBA":
                for lossless in False, True:
                    rgba.convert(mode).save("x.webp", lossless=lossless)
                    expect_same(f"made.webp {i} {mode} {lossless}", "x.webp", Image.open("x.webp"))
            rgba.save("m.webp", save_all=True, append_images=[rgba.rotate(90)], lossless=True)
            expect_same(f"made.webp {i} moving", "m.webp", Image.open("m.webp"))
        for interlace in 0, 1:
            rgb.save("x.gif", interlace=interlace)
            expect_same(f"made.gif {i}", "x.gif", Image.open("x.gif"))
            rgba.save("x.gif", interlace=interlace)
            expect_same(f"made.gif {i} alpha", "x.gif", Image.open("x.gif"))
        rgb.save("x.gif", save_all=True, append_images=[rgb.rotate(90)])
        expect_same(f"made.gif {i} moving", "x.gif", Image.open("x.gif"))
        rgb.save("x.tif", save_all=True, append_images=[rgb.rotate(90)])
        expect_same(f"made.tiff {i} pages", "x.tif", Image.open("x.tif"))
    rgb.save("x.tif", compression="tiff_lzw")
    rgb.save("x.gif")
    rgb.save("x.webp") if features.check("webp") else None
    for name in "x.tif", "x.gif", "x.webp":
        if os.path.exists(name) and not off:
            whole = open(name, "rb").read()
            for n in len(whole) // 3, len(whole) // 2, len(whole) * 4 // 5:
                open("cut", "wb").write(whole[:n])
                expect_refusal(f"{n} bytes of {name}", "cut", "cut")


def floats_and_wide():
    ramp = np.linspace(0, 1, 64 * 48, dtype=np.float32).reshape(48, 64)
    Image.fromarray(ramp).save("f.tif")
    got = read("f.tif")
    if got and np.abs(np.asarray(got[0]).astype(float) / 65535 - ramp).max() > 1e-5:
        wrong("a TIFF of floats", "is another")
    Image.fromarray(ramp * 255).save("f.tif")
    if not off:
        expect_refusal("floats beyond 1", "f.tif", "from 0 to 1")
        Image.fromarray((ramp * 1e6).astype(np.int32)).save("i.tif")
        expect_refusal("32 bits", "i.tif", "32 bits")
    try:
        import cv2
    except ImportError:
        return
    wide = (np.random.default_rng(1).random((33, 47, 3)) * 65535).astype(np.uint16)
    cv2.imwrite("w.tif", wide)
    got = read("w.tif")
    if got and not np.array_equal(cv2.imread("out.png", cv2.IMREAD_UNCHANGED), wide):
        wrong("16 bits of RGB", "are others")


# Profiles, chunks, resolution and EXIF from each format to each that holds them, as PIL finds them in the result.
def kept():
    import zlib
    from PIL import ImageCms
    pixels = (np.random.default_rng(2).random((20, 30, 3)) * 255).astype(np.uint8)
    rgb = Image.fromarray(pixels)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    long = profile[:8] + b"\x02" + profile[9:] + bytes(range(256)) * 600  # two markers of a JPEG
    long = len(long).to_bytes(4, "big") + long[4:]
    exif = Image.Exif()
    exif[0x0100], exif[0x0101], exif[0x0110], exif[0x0112] = 30, 20, "a camera", 6

    def result(source, out, *filter):
        done = subprocess.run([command, "image", *filter, source, out], capture_output=True)
        said = done.stderr.decode(errors="replace")
        if done.returncode:
            if "is off in this build" in said:
                off.add(said.split(": ", 2)[2].split(" is off")[0])
                return None
            wrong(f"{source} as {out}", said)
            return None
        return Image.open(out), said

    def expect(what, got, wanted):
        if got != wanted:
            wrong(what, f"{got!r:.200} is not {wanted!r:.200}")

    same = ("box", "--size", "1")
    sources = {"a.png": {}, "a.jpg": {"quality": 95}, "a.tif": {}, "a.webp": {"lossless": True}}
    for source, how in sources.items():
        for icc in profile, long:
            try:
                rgb.save(source, icc_profile=icc, exif=exif, dpi=(300, 150), **how)
            except OSError:
                continue
            for out in "out.png", "out.jpg":
                got = result(source, out, *same)
                if got is None:
                    continue
                picture, said = got
                what = f"{source} as {out}: "
                expect(what + "profile", picture.info.get("icc_profile"), icc)
                if source != "a.webp":
                    expect(what + "resolution", tuple(round(float(d)) for d in picture.info.get("dpi", ())), (300, 150))
                if source == "a.tif":
                    continue
                expect(what + "EXIF", picture.getexif().get(0x0110), "a camera")
                expect(what + "orientation", picture.getexif().get(0x0112), 1)
                expect(what + "size", picture.size, (20, 30))
                expect(what + "size in EXIF", [picture.getexif().get(t) for t in (0x0100, 0x0101)], [20, 30])
                expect(what + "said", said, "")
    rgb.save("a.jpg", icc_profile=profile, exif=exif, dpi=(72, 72))
    got = result("a.jpg", "out.png", "resize", "--size", "10x15")
    expect("EXIF of a smaller picture", [got[0].getexif().get(t) for t in (0x0100, 0x0101)], list(got[0].size))
    got = result("a.jpg", "out.ppm", *same)
    for word in "ICC profile", "EXIF", "resolution":
        if word not in got[1] or got[1].count("\n") != 1:
            wrong("a PPM", f"says {got[1]!r} and not that {word} is lost")
    # An RGB colour profile is not valid for grey.
    got = result("a.jpg", "out.png", "sobel")
    expect("a grey picture's profile", got[0].info.get("icc_profile"), None)
    if "ICC profile" not in got[1]:
        wrong("a grey picture", f"says {got[1]!r} and not that the profile is lost")
    # Chunks of PNG.
    chunks = {b"gAMA": (100000).to_bytes(4, "big"), b"cHRM": bytes(range(0, 32)), b"sRGB": b"\1", b"cICP": b"\x0c\x0d\0\1"}

    def chunks_in(path):
        data, at, found = open(path, "rb").read(), 8, {}
        while at < len(data):
            length = int.from_bytes(data[at:at + 4], "big")
            found[data[at + 4:at + 8]] = data[at + 8:at + 8 + length]
            at += 12 + length
        return found

    for name, contents in chunks.items():
        rgb.save("plain.png")
        data = open("plain.png", "rb").read()
        chunk = len(contents).to_bytes(4, "big") + name + contents + zlib.crc32(name + contents).to_bytes(4, "big")
        open("chunk.png", "wb").write(data[:33] + chunk + data[33:])
        result("chunk.png", "out.png", *same)
        expect(f"chunk {name}", chunks_in("out.png").get(name), contents)
    for name in b"gAMA", b"cICP":
        chunk = len(chunks[name]).to_bytes(4, "big") + name + chunks[name]
        chunk += zlib.crc32(name + chunks[name]).to_bytes(4, "big")
        open("chunk.png", "wb").write(data[:33] + chunk + data[33:])
        said = result("chunk.png", "out.jpg", *same)[1]
        if name.decode() not in said:
            wrong(f"{name} in a JPEG", f"says {said!r}")
    agree["kept"] = 1


# Exit status, processor seconds and kilobytes of a command. A process starts with the memory of its parent, so the parent must
# be small.
def usage_of(words):
    starter = ("import os, subprocess, sys; child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL); "
               "_, status, used = os.wait4(child.pid, 0); print(status, used.ru_utime + used.ru_stime, used.ru_maxrss)")
    status, seconds, kilobytes = subprocess.check_output([sys.executable, "-S", "-c", starter, *words]).split()
    return int(status), float(seconds), int(kilobytes)


# A photo of 24 megapixels, in half a gigabyte of memory. Processing in parts and at once gives the same result.
def large():
    subprocess.run([command, "image", "test-picture", "tile.png", "--size", "600x400"], check=True)
    tile = np.asarray(Image.open("tile.png"))
    photo = Image.fromarray(np.tile(tile, (10, 10, 1)))
    photo.save("photo.jpg", quality=90)
    for filter in ["gaussian", "--sigma", "2"], ["resize", "--size", "1500x"], ["unsharp"], ["canny"], ["equalize"]:
        status, seconds, kilobytes = usage_of([command, "image", *filter, "photo.jpg", "large.jpg"])
        if status or kilobytes > 500_000 and "ASAN_OPTIONS" not in os.environ:  # which has memory of its own
            wrong(f"24 megapixels under {filter}", f"status {status}, {kilobytes} KB")
        print(f"{filter[0]} of 24 megapixels: {kilobytes / 1e3:.0f} MB, {seconds:.2f} s of a processor")


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    found()
    made()
    floats_and_wide()
    kept()
    large()

print(f"agree with PIL: {agree}, off: {sorted(off)}, differences: {differences}")
sys.exit(differences > 0)
