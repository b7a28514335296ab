// Plays the steps of a run under the lens in an element of a page: player(element, data of steps_to_json, {at, moved, keys}).
// `moved` is called with the frame that is shown, whenever it changes. The keys work on the whole page ('page') or only while the
// player has the focus ('inside').
function player(root, D, { at = 0, moved = () => {}, keys = 'page' } = {}) {
  const F = D.frames;
  root.classList.add('player');
  if (!F.length) {
    root.innerHTML = '<p>No thread did anything that could be shown.</p>';
    return { go() {}, redraw() {}, end() {}, frames: 0 };
  }
  root.innerHTML = `<div class="bar"><div class="controls"><button class="back" aria-label="One instruction back">◀</button>
<button class="play">Play</button><button class="next" aria-label="One instruction forward">▶</button>
<select class="speed" aria-label="Speed"><option value="1400">slow</option><option value="700" selected>steady</option><option value="220">fast</option></select>
<span class="soft hint"><kbd>space</kbd> play, <kbd>←</kbd> <kbd>→</kbd> one instruction, <kbd>↑</kbd> <kbd>↓</kbd> one step, <kbd>Home</kbd> <kbd>End</kbd></span></div>
<canvas class="strip"></canvas><input class="scrub" type="range" min="0" value="0" aria-label="Position in the run">
<div class="now" aria-live="polite"></div></div>
<div class="both"><div class="stage"><canvas class="picture" role="img" aria-label="Threads above, arrays below, and an arrow for each access of this instruction"></canvas>
<div class="tip" role="status" hidden></div></div>
<div class="beside"><div class="source" tabindex="0" aria-label="Source of the kernel"></div></div></div>
<details class="heat"><summary>All accesses of the run: banks of shared memory, sectors of global memory</summary><canvas class="banks" role="img" aria-label="Heat of banks"></canvas><canvas class="sectors" role="img" aria-label="Heat of sectors"></canvas></details>`;
  const $ = name => root.querySelector('.' + name);
  let playing = null;
  const css = name => getComputedStyle(root).getPropertyValue(name).trim();
  const isLoad = k => k.endsWith('load'), isStore = k => k.endsWith('store') || k.endsWith('atomic'), isShared = k => k.startsWith('shared');
  const perRow = m => m.shared ? Math.max(1, 128 / m.element) : 32;
  const bits = m => { const r = []; for (let i = 0; i < 32; i++) if (m >>> i & 1) r.push(i); return r };
  const words = (e, m) => { // distinct words by bank, for the group of lanes that has most
    const lanes = bits(e.m), together = m.element <= 4 ? 32 : m.element <= 8 ? 16 : 8;
    let best = null;
    for (let g = 0; g < 32; g += together) {
      const bank = Array.from({ length: 32 }, () => new Set());
      let any = false;
      lanes.forEach((l, k) => {
        if (l < g || l >= g + together) return;
        any = true;
        for (let b = 0; b < m.element; b += 4) { const w = Math.floor((e.i[k] * m.element + b) / 4); bank[w % 32].add(w) }
      });
      if (!any) continue;
      const n = bank.map(s => s.size), d = Math.max(...n);
      if (!best || d > best.degree) best = { n, degree: d };
    }
    return best;
  };
  let stepNo = 0, last = '';
  F.forEach(f => {
    f.lanes = 0; f.degree = 0;
    f.e.forEach(e => {
      f.lanes += bits(e.m).length;
      if (isShared(f.k) && e.a !== undefined) {
        const w = words(e, D.memories[e.a]);
        if (w && w.degree > f.degree) { f.degree = w.degree; f.worst = e; f.banks = w.n }
      }
    });
    f.full = f.e.length * Math.min(32, D.launches[f.l - 1].threads);
    const k = f.l + '/' + f.p;
    if (k !== last) { stepNo++; last = k }
    f.step = stepNo;
  });
  function valuesAt(n) {
    const v = D.memories.map(m => new Array(m.elements).fill(null));
    for (let k = 0; k <= n; k++) F[k].e.forEach(e => {
      if (e.a === undefined) return;
      const first = isLoad(F[k].k);
      e.i.forEach((x, j) => { if (!first || v[e.a][x] === null) v[e.a][x] = e.v[j] });
    });
    return v;
  }
  const num = x => x === null ? '' : Number.isInteger(x) ? (Math.abs(x) < 1e5 ? String(x) : x.toExponential(1)) : Math.abs(x) < 1e4 ? x.toFixed(x < 10 ? 2 : 1) : x.toExponential(1);
  // A canvas as wide as its place and h high, cleared, in the page's pixels.
  function ground(c, h) {
    const W = c.parentElement.clientWidth, dpr = window.devicePixelRatio || 1;
    c.width = W * dpr; c.height = h * dpr; c.style.height = h + 'px';
    const g = c.getContext('2d');
    g.scale(dpr, dpr); g.clearRect(0, 0, W, h);
    return g;
  }
  const font = (g, s) => g.font = s + 'px system-ui,"Liberation Sans",sans-serif';

  // The picture that is shown, for the values under the pointer.
  let drawn = null;
  function under(x, y) {
    const { f, T, shown, values, threads, left, cell, h } = drawn, verb = isLoad(f.k) ? 'reads' : f.k.endsWith('atomic') ? 'updates' : 'writes';
    const t = T.find(t => y >= t.y && y < t.y + h + 3), lane = Math.floor((x - left) / cell);
    if (t && lane >= 0 && lane < 32 && t.w * 32 + lane < threads) {
      const e = f.e.find(e => e.b === t.b && e.w === t.w), active = e && e.m >>> lane & 1;
      let text = `thread ${t.w * 32 + lane} of block ${t.b} (lane ${lane} of warp ${t.w}): ${active ? f.k : 'inactive'}`;
      if (active && e.a !== undefined) { const k = bits(e.m).indexOf(lane); text += `, ${verb} ${D.memories[e.a].name}[${e.i[k]}] = ${e.v[k]}` }
      return text;
    }
    for (const o of shown) {
      const row = Math.floor((y - o.top) / (h + 3)), k = Math.floor((x - left) / o.w), i = row * o.per + k;
      if (row < 0 || k < 0 || k >= o.per || i >= o.m.elements) continue;
      const v = values[o.i][i], byte = i * o.m.element, place = o.m.shared ? `bank ${Math.floor(byte / 4) % 32}` : `sector ${Math.floor(byte / 32)}`;
      const by = [];
      f.e.forEach(e => { if (e.a === o.i) bits(e.m).forEach((l, j) => { if (e.i[j] === i) by.push(e.w * 32 + l) }) });
      const done = isLoad(f.k) ? 'read' : f.k.endsWith('atomic') ? 'updated' : 'written', more = by.length > 4 ? ` and ${by.length - 4} more` : '';
      const who = by.length ? `; ${done} by thread${by.length > 1 ? 's' : ''} ${by.slice(0, 4).join(', ')}${more}` : '';
      return `${o.m.name}[${i}] = ${v === null ? 'not accessed yet' : v} · ${place}${who}`;
    }
    return '';
  }
  function tip(e) {
    const box = $('tip'), r = $('picture').getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top, text = drawn ? under(x, y) : '';
    box.hidden = !text;
    if (!text) return;
    box.textContent = text;
    box.style.left = Math.max(0, Math.min(x + 10, r.width - box.offsetWidth)) + 'px';
    box.style.top = (y + 18) + 'px';
  }

  function draw() {
    const f = F[at], values = valuesAt(at), c = $('picture'), W = c.parentElement.clientWidth, narrow = W < 520, left = narrow ? 44 : Math.min(D.launches[f.l - 1].blocks, D.drawn) > 1 ? 104 : 60;
    const cell = Math.max(narrow ? 4 : 9, Math.min(30, (W - left - 8) / 33)), h = Math.min(22, Math.max(13, cell * .8));
    const shown = D.memories.map((m, i) => ({ m, i })).filter(o => !o.m.shared || (o.m.launch === f.l && o.m.block < D.drawn)).sort((a, b) => b.m.shared - a.m.shared || a.m.block - b.m.block || a.i - b.i);
    const threads = D.launches[f.l - 1].threads, blocks = Math.min(D.launches[f.l - 1].blocks, D.drawn), warps = Math.ceil(threads / 32);
    let y = 24;
    const T = [];
    for (let b = 0; b < blocks; b++) for (let w = 0; w < warps; w++) { T.push({ b, w, y }); y += h + 3; if (w === warps - 1) y += 6 }
    y += 26;
    for (const o of shown) {
      o.y = y; o.per = perRow(o.m); o.w = cell * 32 / o.per; o.top = y + 18 + (o.m.shared ? 16 : 0);
      y = o.top + Math.ceil(o.m.elements / o.per) * (h + 3) + 24;
    }
    const g = ground(c, y);
    const ink = css('--ink'), soft = css('--soft'), faint = css('--faint'), panel = css('--panel'), read = css('--read'), write = css('--write'), on = css('--on'), bad = css('--bad'), op = css('--op');
    const x0 = i => left + i * cell, active = {};
    f.e.forEach(e => active[e.b + '/' + e.w] = e.m);
    const colour = isLoad(f.k) ? read : isStore(f.k) ? write : f.k === 'apply' ? op : on;
    g.textBaseline = 'middle'; font(g, 12.5); g.fillStyle = ink; g.textAlign = 'left';
    g.fillText('Threads: the active lanes are coloured', narrow ? 0 : left, 14);
    for (const t of T) {
      font(g, 11); g.fillStyle = soft; g.textAlign = 'right';
      g.fillText(narrow ? t.b + '/' + t.w : (blocks > 1 ? 'block ' + t.b + ' ' : '') + 'warp ' + t.w, left - 8, t.y + h / 2);
      const m = active[t.b + '/' + t.w] || 0;
      for (let i = 0; i < 32 && t.w * 32 + i < threads; i++) {
        const act = m >>> i & 1;
        g.fillStyle = act ? colour : faint; g.fillRect(x0(i) + 1, t.y, cell - 2, h);
        if (cell > 20) { font(g, 9.5); g.textAlign = 'center'; g.fillStyle = act ? panel : soft; g.fillText(t.w * 32 + i, x0(i) + cell / 2, t.y + h / 2) }
      }
      t.pos = i => [x0(i) + cell / 2, t.y + h];
    }
    const hit = {};
    f.e.forEach(e => { if (e.a !== undefined) e.i.forEach(x => hit[e.a + '/' + x] = 1) });
    for (const o of shown) {
      font(g, 12.5); g.fillStyle = ink; g.textAlign = 'left';
      g.fillText(o.m.name + (o.m.shared ? ' · shared memory of block ' + o.m.block + ', one column per bank' : ' · global memory, a gap after each sector of 32 bytes'), narrow ? 0 : left, o.y + 8);
      const hot = f.worst && f.worst.a === o.i ? f.banks : null;
      if (o.m.shared) for (let b = 0; b < 32; b++) {
        const n = hot ? hot[b] : 0;
        font(g, 9.5); g.textAlign = 'center';
        if (n > 1) { g.fillStyle = bad; g.fillRect(x0(b) + 1, o.y + 18, cell - 2, 13); g.fillStyle = panel; g.fillText((cell > 14 ? '×' : '') + n, x0(b) + cell / 2, o.y + 25) }
        else { g.fillStyle = n ? on : soft; g.fillText(cell > 14 ? b : '', x0(b) + cell / 2, o.y + 25) }
      }
      const inSector = 32 / o.m.element;
      for (let i = 0; i < o.m.elements; i++) {
        const r = Math.floor(i / o.per), k = i % o.per, x = left + k * o.w, yy = o.top + r * (h + 3), h1 = hit[o.i + '/' + i], gap = !o.m.shared && (k + 1) % inSector === 0 ? 3 : 1;
        const clash = hot && h1 && hot[Math.floor(i * o.m.element / 4) % 32] > 1;
        g.fillStyle = h1 ? (clash ? bad : colour) : faint; g.fillRect(x + 1, yy, Math.max(1, o.w - 1 - gap), h);
        if (o.w > 14.5) { font(g, o.w > 24 ? 10.5 : o.w > 17 ? 9 : 8); g.textAlign = 'center'; g.fillStyle = h1 ? panel : ink; g.fillText(num(values[o.i][i]), x + o.w / 2 - .5, yy + h / 2, o.w - 3) }
      }
      o.pos = i => [left + (i % o.per) * o.w + o.w / 2, o.top + Math.floor(i / o.per) * (h + 3)];
    }
    drawn = { f, T, shown, values, threads, left, cell, h };
    // Arrows: all lanes of the worst warp strongly, the others faintly.
    const lead = f.worst || f.e[0];
    for (const e of f.e) {
      if (e.a === undefined || e.b >= D.drawn) continue;
      const t = T.find(t => t.b === e.b && t.w === e.w), o = shown.find(o => o.i === e.a);
      if (!t || !o) continue;
      const strong = e === lead, w = isShared(f.k) && strong ? words(e, o.m) : null;
      g.globalAlpha = strong ? .85 : f.e.length > 1 ? .16 : .85; g.lineWidth = strong ? 1.3 : 1;
      bits(e.m).forEach((l, k) => {
        const [ax, ay] = t.pos(l), [bx, by] = o.pos(e.i[k]), clash = w && w.n[Math.floor(e.i[k] * o.m.element / 4) % 32] > 1;
        g.strokeStyle = g.fillStyle = clash ? bad : colour;
        g.beginPath(); g.moveTo(ax, ay); g.bezierCurveTo(ax, ay + 26, bx, by - 26, bx, by); g.stroke();
        if (!strong) return;
        const tip = isLoad(f.k) ? [ax, ay, 1] : [bx, by, -1];
        g.beginPath(); g.moveTo(tip[0], tip[1]); g.lineTo(tip[0] - 3, tip[1] + 5 * tip[2]); g.lineTo(tip[0] + 3, tip[1] + 5 * tip[2]); g.fill();
      });
    }
    g.globalAlpha = 1;
    say(f); source(f); strip(); $('scrub').value = at;
  }

  function say(f) {
    const cls = isLoad(f.k) ? 'rd' : isStore(f.k) ? 'wr' : f.k === 'apply' ? 'op' : 'on', L = D.launches[f.l - 1], many = n => n > 1 ? 's' : '';
    let t = `<b>Launch ${f.l} of ${D.launches.length}, step ${f.step}</b> (${L.blocks} × ${L.threads} threads): <b class="${cls}">${f.k}</b> at ${f.file}:${f.line}, by ${f.lanes} thread${many(f.lanes)} of ${f.e.length} warp${many(f.e.length)}. `;
    const idle = f.full - f.lanes;
    t += idle > 0 ? `<span class="bad">${idle} lane${many(idle)} of ${f.e.length > 1 ? 'these warps are' : 'this warp are'} inactive.</span> ` : 'All their lanes are active. ';
    if (f.degree > 1) t += `<span class="bad">Bank conflict of degree ${f.degree}</span>: warp ${f.worst.w} accesses ${f.degree} different words of one bank, which takes ${f.worst.f} wavefronts. `;
    else if (f.degree === 1) t += '<span class="on">No bank conflict.</span> ';
    const s = f.e.reduce((n, e) => n + (e.s || 0), 0);
    if (s) {
      const el = D.memories[f.e[0].a].element, ideal = f.e.reduce((n, e) => n + Math.ceil(new Set(e.i).size * el / 32), 0);
      t += s + ' sectors of 32 bytes' + (s > ideal ? `; <span class="bad">${ideal} would be enough</span>. ` : ', the minimum. ');
    }
    $('now').innerHTML = t;
  }

  let shownFile = '';
  function source(f) {
    const box = $('source'), lines = D.sources[f.file];
    box.style.display = lines ? '' : 'none';
    if (!lines) return;
    if (shownFile !== f.file) {
      shownFile = f.file; box.textContent = '';
      lines.forEach((l, i) => { const d = document.createElement('div'), n = document.createElement('i'); n.textContent = i + 1; d.append(n, l); box.append(d) });
    }
    box.querySelectorAll('.hot').forEach(d => d.classList.remove('hot'));
    const d = box.children[f.line - 1];
    if (d) { d.classList.add('hot'); box.scrollTop += d.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2 + d.offsetHeight }
  }

  function strip() {
    const H = 44, g = ground($('strip'), H), w = $('strip').clientWidth / F.length, soft = css('--soft'), bad = css('--bad'), on = css('--on'), line = css('--line');
    F.forEach((f, i) => {
      const x = i * w, share = f.lanes / f.full;
      g.fillStyle = line; g.fillRect(x, 2, Math.max(.6, w - .6), 20);
      g.fillStyle = on; g.fillRect(x, 22 - 20 * share, Math.max(.6, w - .6), 20 * share);
      if (f.degree > 0) { const d = Math.log2(f.degree) / 5; g.fillStyle = f.degree > 1 ? bad : line; g.fillRect(x, 24, Math.max(.6, w - .6), f.degree > 1 ? 4 + 16 * d : 1.5) }
      if (i && F[i].step !== F[i - 1].step) { g.fillStyle = soft; g.globalAlpha = .35; g.fillRect(x - .3, 0, .6, H); g.globalAlpha = 1 }
    });
    g.strokeStyle = css('--ink'); g.lineWidth = 2; g.strokeRect(at * w, 1, Math.max(3, w), H - 2);
  }

  // A row for each part of the run and a column for each bank: the largest number of words of the bank that one warp requested. Below,
  // a row for each array: how often its sectors were requested.
  function heat() {
    if (!$('heat').open) return;
    const ink = css('--ink'), soft = css('--soft'), faint = css('--faint'), on = css('--on'), bad = css('--bad');
    const asks = F.filter(f => f.degree > 0), rows = Math.min(48, asks.length), high = 7;
    const most = Array.from({ length: rows }, () => new Array(32).fill(0));
    asks.forEach((f, i) => {
      const row = most[Math.floor(i * rows / asks.length)];
      f.e.forEach(e => { if (e.a !== undefined) words(e, D.memories[e.a]).n.forEach((n, b) => row[b] = Math.max(row[b], n)) });
    });
    let g = ground($('banks'), rows ? 40 + rows * high + 16 : 24), W = $('banks').clientWidth, left = 8, w = Math.min(26, (W - 16) / 32);
    const worst = Math.max(0, ...most.flat());
    g.textBaseline = 'middle'; font(g, 12.5); g.fillStyle = ink; g.fillText(rows ? 'Banks, from the first access to shared memory (top) to the last. Most words of one bank in one access: ' + worst : 'No access to shared memory', 0, 12, W);
    for (let r = 0; r < rows; r++) for (let b = 0; b < 32; b++) {
      const n = most[r][b];
      g.fillStyle = n > 1 ? bad : n ? on : faint; g.globalAlpha = n > 1 ? .3 + .7 * Math.log2(n) / 5 : n ? .5 : 1;
      g.fillRect(left + b * w, 24 + r * high, w - 1, high - 1);
    }
    g.globalAlpha = 1; font(g, 9.5); g.fillStyle = soft;
    if (rows) for (const b of [0, 8, 16, 24, 31]) g.fillText(b, left + b * w, 24 + rows * high + 8);
    const arrays = D.memories.map((m, i) => ({ m, times: new Array(Math.ceil(m.elements * m.element / 32)).fill(0), i })).filter(o => !o.m.shared);
    const of = new Map(arrays.map(o => [o.i, o]));
    F.forEach(f => f.e.forEach(e => { const o = of.get(e.a); if (o) new Set(e.i.map(x => Math.floor(x * o.m.element / 32))).forEach(s => o.times[s]++) }));
    g = ground($('sectors'), 30 + arrays.length * 46); W = $('sectors').clientWidth;
    g.textBaseline = 'middle'; font(g, 12.5); g.fillStyle = ink; g.fillText('Sectors of 32 bytes, by the number of accesses of warps', 0, 12, W);
    const top = Math.max(1, ...arrays.flatMap(o => o.times));
    arrays.forEach((o, k) => {
      const y = 30 + k * 46, columns = Math.min(o.times.length, Math.floor((W - 16) / 4)), wide = Math.min(14, (W - 16) / columns);
      const high = Math.max(0, ...o.times);
      font(g, 11); g.fillStyle = soft; g.fillText(`${o.m.name}: ${o.times.length} sector${o.times.length > 1 ? 's' : ''}, at most ${high} access${high === 1 ? '' : 'es'} of one sector`, left, y + 6, W - 16);
      for (let c = 0; c < columns; c++) {
        const part = o.times.slice(Math.floor(c * o.times.length / columns), Math.max(1 + Math.floor(c * o.times.length / columns), Math.floor((c + 1) * o.times.length / columns)));
        const n = Math.max(...part);
        g.globalAlpha = 1; g.fillStyle = faint; g.fillRect(left + c * wide, y + 16, wide - 1, 18);
        if (n) { g.globalAlpha = .25 + .75 * n / top; g.fillStyle = n > 8 ? bad : on; g.fillRect(left + c * wide, y + 16, wide - 1, 18) }
      }
      g.globalAlpha = 1;
    });
  }

  function go(n) { at = Math.max(0, Math.min(F.length - 1, n)); draw(); moved(at) }
  function step(d) { const s = F[at].step + d, n = F.findIndex(f => f.step === s); go(n < 0 ? (d < 0 ? 0 : F.length - 1) : n) }
  function play(on) {
    clearInterval(playing); playing = null;
    if (on) { if (at === F.length - 1) at = 0; playing = setInterval(() => { if (at >= F.length - 1) play(false); else go(at + 1) }, +$('speed').value) }
    $('play').textContent = playing ? 'Pause' : 'Play'; $('play').setAttribute('aria-pressed', !!playing);
  }
  const stop = f => () => { play(false); f() };
  $('scrub').max = F.length - 1; $('scrub').oninput = e => { play(false); go(+e.target.value) };
  $('back').onclick = stop(() => go(at - 1)); $('next').onclick = stop(() => go(at + 1)); $('play').onclick = () => play(!playing); $('speed').onchange = () => playing && play(true);
  $('strip').onclick = e => { play(false); go(Math.floor(e.offsetX / $('strip').clientWidth * F.length)) };
  $('heat').ontoggle = heat;
  const redraw = () => { draw(); heat() };
  const pressed = e => {
    const tag = e.target.tagName;
    if (e.altKey || e.ctrlKey || e.metaKey) return;  // the browser's own keys: Alt+Left is "back"
    if (['SELECT', 'INPUT', 'TEXTAREA', 'SUMMARY'].includes(tag) && !e.target.classList.contains('scrub')) return;
    if (e.key === ' ' && ['BUTTON', 'A'].includes(tag)) return;  // Space presses the button that has the focus
    if ($('source') === e.target && ['ArrowUp', 'ArrowDown', 'Home', 'End'].includes(e.key)) return;  // scrolls the source
    const k = { ' ': () => play(!playing), ArrowRight: stop(() => go(at + 1)), ArrowLeft: stop(() => go(at - 1)), ArrowDown: stop(() => step(1)), ArrowUp: stop(() => step(-1)), Home: () => go(0), End: () => go(F.length - 1) }[e.key];
    if (k) { e.preventDefault(); k() }
  };
  const listens = keys === 'inside' ? root : document;
  if (keys === 'inside') root.tabIndex = 0;
  listens.addEventListener('keydown', pressed);
  $('picture').onpointermove = $('picture').onpointerdown = tip;
  $('picture').onpointerleave = () => { $('tip').hidden = true };
  addEventListener('resize', redraw);
  const dark = matchMedia('(prefers-color-scheme:dark)');
  dark.addEventListener('change', redraw);
  at = Math.max(0, Math.min(F.length - 1, at));
  draw();
  return {
    go, redraw, frames: F.length,
    end() { play(false); listens.removeEventListener('keydown', pressed); removeEventListener('resize', redraw); dark.removeEventListener('change', redraw) },
  };
}
