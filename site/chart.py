"""Charts as SVG in the colours of the page."""
import html
import math
import statistics


def ratios(groups, width=720):
    """A row for each (label, peers, [(ratio, description)]): a dot for each ratio on a logarithmic axis, and a line at 1."""
    left, right, top, row_height = 200, 20, 34, 42
    all_of_them = [r for _, _, dots in groups for r, _ in dots]
    low = min(0.5, 2 ** math.floor(math.log2(min(all_of_them))))
    high = max(2, 2 ** math.ceil(math.log2(max(all_of_them))))
    height = top + row_height * len(groups) + 34

    def x(ratio):
        return left + (width - left - right) * math.log(ratio / low) / math.log(high / low)
    out = (f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" xmlns="http://www.w3.org/2000/svg" '
           f'aria-label="The fastest peer\'s time divided by ours, for each primitive">\n')
    tick = low
    while tick <= high * 1.0001:
        one = abs(tick - 1) < 1e-9
        at = f"{x(tick):.1f}"
        out += (f'<line class="{"one" if one else "tick"}" x1="{at}" x2="{at}" y1="{top - 6}" y2="{height - 28}"/>'
                f'<text class="axis" x="{at}" y="{height - 12}" text-anchor="middle">{tick:g}</text>\n')
        tick *= 2
    out += (f'<text class="axis" x="{x(1) - 8:.1f}" y="18" text-anchor="end">the peer is faster</text>'
            f'<text class="axis" x="{x(1) + 8:.1f}" y="18">Upsweep is faster</text>\n')
    for at, (label, peers, dots) in enumerate(groups):
        y = top + row_height * at + row_height / 2
        middle = statistics.median(r for r, _ in dots)
        out += (f'<text class="label" x="{left - 12}" y="{y:.1f}" text-anchor="end">{html.escape(label)}</text>'
                f'<text class="axis peers" x="{left - 12}" y="{y + 15:.1f}" text-anchor="end">{html.escape(peers)}</text>\n')
        for ratio, description in dots:
            out += (f'<circle class="{"lost" if ratio < 1 else "won"}" cx="{x(ratio):.1f}" cy="{y:.1f}" r="5">'
                    f'<title>{html.escape(description)}</title></circle>\n')
        out += f'<line class="middle" x1="{x(middle):.1f}" x2="{x(middle):.1f}" y1="{y - 11:.1f}" y2="{y + 11:.1f}"/>\n'
    return out + "</svg>\n"
