"""Calls captured into CUDA graphs, by PyTorch and CuPy. Each sequence runs in its own process, so that its captured calls are the first calls:

    python test_captures.py               # all sequences, one after the other
    python test_captures.py NAME          # one sequence, in this process
"""
import subprocess
import sys
import threading

import numpy as np
import pytest


def _torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch finds no GPU")
    return torch


def _cupy():
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("CuPy finds no GPU")
    return cupy


def random_array(torch, n, seed):
    return torch.from_numpy(np.random.default_rng(seed).integers(0, 1 << 30, n, dtype=np.int32)).cuda()


def same(got, want):
    got = got.get() if hasattr(got, "get") else got.cpu().numpy()
    assert np.array_equal(got, want), (got, want)


def warmed_on_another_stream():
    """Warm up on a side stream, as PyTorch's manual recommends."""
    torch = _torch()
    import upsweep
    x = random_array(torch, 100_003, 0)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        upsweep.sort(x), upsweep.argsort(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ordered, order = upsweep.sort(x), upsweep.argsort(x)
    for seed in range(4):
        y = random_array(torch, x.numel(), seed)
        x.copy_(y)
        graph.replay()
        torch.cuda.synchronize()
        host = y.cpu().numpy()
        same(ordered, np.sort(host)), same(order, np.argsort(host, kind="stable"))


def two_graphs():
    torch = _torch()
    import upsweep
    x, y = random_array(torch, 100_003, 0), random_array(torch, 300_007, 1)
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(first):
        a = upsweep.sort(x)
    with torch.cuda.graph(second):
        b = upsweep.sort(y)
    eager = upsweep.sort(y)  # before either graph ran
    for graph in (second, first, first, second):
        graph.replay()
    torch.cuda.synchronize()
    same(a, np.sort(x.cpu().numpy())), same(b, np.sort(y.cpu().numpy())), same(eager, np.sort(y.cpu().numpy()))
    del first
    large = random_array(torch, 5_000_011, 2)
    same(upsweep.sort(large), np.sort(large.cpu().numpy()))
    second.replay()
    torch.cuda.synchronize()
    same(b, np.sort(y.cpu().numpy()))


def many_calls_at_first():
    torch = _torch()
    import upsweep
    n = 50_021
    x, picture = random_array(torch, n, 0), torch.rand(64, 48, device="cuda")
    values, mask = torch.rand(n, device="cuda"), np.arange(1, 10, dtype="f4").reshape(3, 3)

    def calls():
        kept = upsweep.select(x, "x > 300000000", count="device")
        odd = upsweep.select(x, "x % 7 == 3 or x < 1000", count="device")  # compiled at run time
        return (odd.count, upsweep.sum(odd), upsweep.sum(x), upsweep.max(values), upsweep.cumsum(x), upsweep.sort(x, descending=True), upsweep.top_k(x, 9)[0],
                upsweep.sort_by_key(x, values)[1], upsweep.argmax(x), upsweep.convolve(picture, mask), upsweep.gaussian(picture, 2.0),
                upsweep.image.box_median(picture, 2), upsweep.histogram(values, 16, (0.0, 1.0))[0], upsweep.histogram(values, [0, 0.1, 0.5, 1])[0],
                upsweep.sum(kept), upsweep.sort(kept).array[:1000], upsweep.histogram(kept, 10, (0, 1 << 30))[0], upsweep.sort(picture, axis=1),
                upsweep.sum(picture, axis=0), upsweep.searchsorted(upsweep.sort(x), x), upsweep.integral(picture))

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = calls()
    for seed in range(1, 4):
        x.copy_(random_array(torch, n, seed))
        values.copy_(torch.rand(n, device="cuda"))
        picture.copy_(torch.rand(64, 48, device="cuda"))
        wanted = calls()
        for each in captured:
            each.zero_()
        graph.replay()
        torch.cuda.synchronize()
        for place, (got, want) in enumerate(zip(captured, wanted, strict=True)):
            assert torch.equal(got, want), place


def refusals_lose_nothing():
    torch = _torch()
    import upsweep
    x = random_array(torch, 10_007, 0)
    waits = [lambda: upsweep.select(x, "x > 5"), lambda: upsweep.unique(x), lambda: upsweep.run_length_encode(x), lambda: upsweep.nth_element(x, 3),
             lambda: upsweep.is_sorted(x), lambda: upsweep.reduce_by_key(x, x), lambda: upsweep.stable_partition(x, "x > 5")]
    for mode in ("global", "thread_local", "relaxed"):
        for call in waits:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode=mode):
                with pytest.raises(upsweep.Unsupported, match="CUDA graph"):
                    call()
                ordered = upsweep.sort(x)
            graph.replay()
            torch.cuda.synchronize()
            same(ordered, np.sort(x.cpu().numpy()))
            call()
    with pytest.raises(upsweep.Unsupported, match="CUDA graph"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):  # the exception ends the capture
            upsweep.select(x, "x > 5")
    same(upsweep.sort(x), np.sort(x.cpu().numpy()))


def a_failed_capture_loses_nothing():
    torch = _torch()
    import upsweep
    x = random_array(torch, 10_007, 0)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                upsweep.argsort(x)
                x.sum().item()  # this call of PyTorch invalidates the capture
        torch.cuda.synchronize()
        same(upsweep.sort(x), np.sort(x.cpu().numpy())), same(upsweep.argsort(x), np.argsort(x.cpu().numpy(), kind="stable"))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            order = upsweep.argsort(x)
        graph.replay()
        torch.cuda.synchronize()
        same(order, np.argsort(x.cpu().numpy(), kind="stable"))


def others_call_meanwhile():
    torch = _torch()
    import upsweep
    x, stop, wrong = random_array(torch, 100_003, 0), threading.Event(), []

    def calls(seed):
        try:
            with upsweep.device("cuda:0"):  # NumPy arrays: PyTorch may not allocate here
                for turn in range(1000):
                    if stop.is_set():
                        break
                    y = np.random.default_rng(turn).integers(0, 1000, 1000 + 777 * (turn % 50) * seed, dtype=np.int32)
                    if not np.array_equal(upsweep.sort(y), np.sort(y)):
                        wrong.append(turn)
        except Exception as e:
            wrong.append(e)

    others = [threading.Thread(target=calls, args=(seed,)) for seed in (1, 2)]
    for other in others:
        other.start()
    try:
        for turn in range(20):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=torch.cuda.Stream()):
                ordered, order = upsweep.sort(x), upsweep.argsort(x)
            graph.replay()
            torch.cuda.synchronize()
            same(ordered, np.sort(x.cpu().numpy())), same(order, np.argsort(x.cpu().numpy(), kind="stable"))
    finally:
        stop.set()
        for other in others:
            other.join()
    assert not wrong, wrong


def graphs_of_cupys():
    cupy = _cupy()
    import upsweep
    n = 100_003
    x = cupy.asarray(np.random.default_rng(0).integers(0, 1000, n, dtype=np.int32))
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()

    def calls():
        kept = upsweep.select(x, "x > 300", count="device")
        # CuPy's pool reuses what is freed, so a captured call's results live as long as its graph.
        return upsweep.sort(x), upsweep.argsort(x), upsweep.sum(x), upsweep.argsort(kept).array, upsweep.histogram(x, 10, (0, 1000))[0], kept

    with stream:
        graphs = []
        for _ in range(2):
            stream.begin_capture()
            captured = calls()
            graphs.append((stream.end_capture(), captured))
        for seed in range(1, 4):
            y = np.random.default_rng(seed).integers(0, 1000, n, dtype=np.int32)
            x.set(y)
            others = [cupy.full(n, 77, np.int32) for _ in range(20)]  # take the free memory of CuPy's pool
            for graph, captured in reversed(graphs):
                graph.launch(stream)
                stream.synchronize()
                kept = y[y > 300]
                wanted = (np.sort(y), np.argsort(y, kind="stable"), y.sum(), np.argsort(kept, kind="stable"), np.histogram(y, 10, (0, 1000))[0])
                for got, want in zip(captured[:5], wanted, strict=True):
                    same(got[:len(want)] if np.ndim(want) else got, want)
            assert all((other == 77).all() for other in others)
            eager = calls()
            stream.synchronize()
            same(eager[0], np.sort(y))


def kept_edges_are_bounded():
    torch = _torch()
    import upsweep
    x = torch.rand(1000, device="cuda")
    upsweep.histogram(x, 1 << 20, (0.0, 1.0))
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for k in range(40):
        counts, _ = upsweep.histogram(x, 1 << 20, (0.0, 1.0 + k / 100))
        assert int(counts.sum()) == int(x.numel())
    assert torch.cuda.memory_allocated() < before + (64 << 20), torch.cuda.memory_allocated() - before
    # A graph keeps the edges that it reads.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        counts, edges = upsweep.histogram(x, 1000, (0.0, 0.9))
    for k in range(5):
        upsweep.histogram(x, 1 << 20, (0.0, 2.0 + k))
    filled = [torch.full((1 << 20,), 0.5, device="cuda") for _ in range(20)]
    graph.replay()
    torch.cuda.synchronize()
    eager, _ = upsweep.histogram(x, 1000, (0.0, 0.9))
    assert torch.equal(counts, eager) and len(filled) == 20


def scratch_is_released():
    torch = _torch()
    import upsweep
    gpu = upsweep.device("cuda:0")
    x = random_array(torch, 1 << 24, 0)
    gpu.trim()
    before = gpu.free_memory
    for _ in range(3):
        with torch.cuda.stream(torch.cuda.Stream()):
            upsweep.sum(upsweep.cumsum(x)), upsweep.argsort(x)
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    assert gpu.free_memory < before
    gpu.trim()
    torch.cuda.empty_cache()
    assert gpu.free_memory > before - (64 << 20), (gpu.free_memory, before)
    same(upsweep.sort(x), np.sort(x.cpu().numpy()))


SEQUENCES = [warmed_on_another_stream, two_graphs, many_calls_at_first, refusals_lose_nothing, a_failed_capture_loses_nothing,
             others_call_meanwhile, graphs_of_cupys, kept_edges_are_bounded, scratch_is_released]


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda sequence: sequence.__name__)
def test_sequence(sequence):
    _cupy() if sequence is graphs_of_cupys else _torch()
    ran = subprocess.run([sys.executable, __file__, sequence.__name__], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr[-4000:]


def test_trim_of_a_cpu():
    import upsweep
    with upsweep.device("cpu:2") as two:
        x = np.random.default_rng(1).random(100_003)
        before = upsweep.sort(x)
        two.trim()
        assert np.array_equal(upsweep.sort(x), before)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    if wanted:
        for one in SEQUENCES:
            if one.__name__ in wanted:
                one()
    else:
        failed = [one.__name__ for one in SEQUENCES if subprocess.run([sys.executable, __file__, one.__name__], check=False).returncode]
        print("failed:", failed or "none")
        sys.exit(bool(failed))
