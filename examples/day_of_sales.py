"""Sales of a shop on one day: by product, by seller and by hour. Requires an installed Upsweep."""
import time

import numpy as np

import upsweep

rng = np.random.default_rng(2024)
n = 2_000_000
shop = rng.integers(0, 50, n).astype(np.int32)  # who sold
price = rng.gamma(2.0, 20.0, n).astype(np.float32)  # for how much
second = np.sort(rng.integers(0, 86_400, n)).astype(np.int32)  # and when

started = time.perf_counter()
total = upsweep.sum(price, dtype=np.float64)
so_far = upsweep.cumsum(price.astype(np.float64))
shops, by_shop = upsweep.reduce_by_key(*upsweep.sort_by_key(shop, price))
dear, places = upsweep.top_k(price, 3)
above = upsweep.select(price, "x > 100")
an_hour, _ = upsweep.histogram(second, 24, (0, 86_400))
smooth = upsweep.moving_average(price, 0.001)
took = time.perf_counter() - started

print(f"{n:,} sales for {total:,.0f}; half of it by {second[upsweep.searchsorted(so_far, np.array([total / 2]))[0]] / 3600:.1f} o'clock")
print(f"best shop: {shops[upsweep.argmax(by_shop)]}, {by_shop.max():,.0f}; dearest sales: {', '.join(f'{p:.0f}' for p in dear)}")
print(f"{above.size:,} sales above 100; most in an hour: {an_hour.max():,}; all of that took {took * 1e3:.0f} ms")

started = time.perf_counter()
order = np.argsort(shop, kind="stable")
same = (np.isclose(total, price.sum(dtype=np.float64)) and np.allclose(so_far, np.cumsum(price, dtype=np.float64))
        and np.allclose(by_shop, np.bincount(shop, price), rtol=1e-4) and np.array_equal(dear, np.sort(price)[::-1][:3])
        and np.array_equal(above, price[price > 100]) and np.array_equal(an_hour, np.histogram(second, 24, (0, 86_400))[0])
        and np.array_equal(shops, np.unique(shop)))
print(f"the same as NumPy, which took {(time.perf_counter() - started) * 1e3:.0f} ms" if same else "WRONG: not the same as NumPy")
