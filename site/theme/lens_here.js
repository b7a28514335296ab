// The form of the page, its workers and their results. The address after # contains all settings and the step that is shown.
// A site without the compiled lens plays recorded runs, in which only the variants can be chosen.
(() => {
  const root = document.getElementById('lens-here');
  if (!root) return;
  const variants = JSON.parse(document.getElementById('lens-variants').textContent), most = { played: 4096 }, recorded = root.dataset.recorded;
  const $ = name => root.querySelector(`[name=${name}]`), part = name => root.querySelector('.' + name);
  const named = name => variants.find(r => r.name === name);
  const number = n => n.toLocaleString('en');
  const make = (tag, text, into) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; if (into) into.append(e); return e };
  const option = (select, value, text = value) => { const o = make('option', text, select); o.value = value; return o };
  const usual = { n: 64, block: 0, type: 'u32', op: 'plus', input: 'uniform', inclusive: false, in_place: false, seed: 1, resident: 4 };

  // --- the settings

  if (recorded) {
    root.querySelectorAll('.more, label:has([name=n]), label:has([name=block])').forEach(e => { e.hidden = true });
  }

  for (const [name, none] of [['variant', false], ['compare', true]]) {
    if (none) option($(name), '', 'none');
    let group, of = '';
    for (const r of variants) {
      const algorithm = r.name.split('/')[0];
      if (algorithm !== of) { group = make('optgroup', undefined, $(name)); group.label = of = algorithm }
      option(group, r.name, r.name.slice(algorithm.length + 1));
    }
  }
  // Variants that differ only in the padding of their shared memory.
  const paddings = [{ none: 'scan/blelloch-block', 'a cell every 32': 'scan/blelloch-padded', 'two levels of cells': 'scan/blelloch-doubly-padded' },
    { none: 'integral/transpose', 'a cell every row': 'integral/transpose-padded' }];
  const paddings_of = name => paddings.find(p => Object.values(p).includes(name));
  function fit() {
    const r = named($('variant').value), before = $('block').value, p = paddings_of(r.name);
    $('block').textContent = '';
    option($('block'), '0', r.standard ? 'the smallest for n' : 'the default');
    r.blocks.forEach(b => option($('block'), String(b)));
    if ([...$('block').options].some(o => o.value === before)) $('block').value = before;
    $('padding').textContent = '';
    for (const [text, name] of Object.entries(p || { 'this variant has none': r.name })) option($('padding'), name, text);
    $('padding').value = r.name; $('padding').disabled = !p;
    $('op').disabled = !r.folds; $('input').disabled = r.folds; $('inclusive').disabled = r.primitive !== 'scan';
    part('teaches').textContent = r.teaches + '.';
  }
  // The choice of `upsweep lens --html`: the smallest block that covers n with two elements for each thread.
  const block_for = (r, n) => r.standard ? Math.min(...r.blocks.filter(b => 2 * b >= n), Infinity) : 0;
  function fitted(a) {
    const r = named(a.variant), b = a.block || block_for(r, a.n);
    return { ...a, block: r.blocks.includes(b) ? b : 0 };
  }
  function asked() {
    const r = named($('variant').value), a = { variant: r.name };
    for (const name of ['n', 'seed', 'resident', 'block']) a[name] = +$(name).value;
    for (const name of ['type', 'op', 'input']) if (!$(name).disabled) a[name] = $(name).value;
    for (const name of ['inclusive', 'in_place']) if ($(name).checked && !$(name).disabled) a[name] = true;
    return a;
  }
  let steps = [0, 0];
  function address() {
    const a = asked(), words = [`variant=${a.variant}`];
    for (const [key, value] of Object.entries(a)) if (key in usual && value !== usual[key]) words.push(`${key}=${value === true ? 1 : value}`);
    if ($('compare').value) words.push(`compare=${$('compare').value}`);
    if (steps[0]) words.push(`step=${steps[0] + 1}`);
    if (steps[1]) words.push(`step2=${steps[1] + 1}`);
    return '#' + words.join('&');
  }
  const update_address = () => history.replaceState(null, '', address());
  // A name of a link that no variant has, with the names that are most similar to it.
  function unknown(name) {
    const pairs = text => new Set([...text].map((c, i) => text.slice(i, i + 2))), mine = pairs(name);
    const alike = variants.map(r => [[...pairs(r.name)].filter(p => mine.has(p)).length / r.name.length, r.name]).sort((a, b) => b[0] - a[0]);
    return `The link names the variant '${name}', which does not exist. Similar names: ${alike.slice(0, 3).map(a => a[1]).join(', ')}.`;
  }
  const say = (text, bad) => { part('says').textContent = text; part('says').classList.toggle('bad', !!bad) };
  function from_address() {
    const words = new Map(location.hash.slice(1).split('&').map(w => w.split('=')));
    if (!words.has('variant')) return false;
    for (const key of ['variant', 'compare'])
      if (words.get(key) && !named(words.get(key))) { say(unknown(words.get(key)), true); return false }
    const set = (name, value) => { if ($(name).type === 'checkbox') $(name).checked = value === '1' || value === true; else $(name).value = value };
    set('variant', words.get('variant'));
    for (const name in usual) if (name !== 'block') set(name, words.get(name) ?? usual[name]);
    fit();
    set('block', words.get('block') ?? 0);
    if (!$('block').value) $('block').value = '0';
    set('compare', named(words.get('compare')) ? words.get('compare') : '');
    steps = [(+words.get('step') || 1) - 1, (+words.get('step2') || 1) - 1];
    return true;
  }
  function command(a) {
    const words = ['upsweep lens', a.variant, '--n', a.n];
    for (const [key, word] of [['block', '--block'], ['type', '--type'], ['op', '--op'], ['input', '--input'], ['seed', '--seed'], ['resident', '--resident']])
      if (key in a && a[key] !== usual[key]) words.push(word, a[key]);
    if (a.inclusive) words.push('--inclusive');
    if (a.in_place) words.push('--in-place');
    return words.join(' ');
  }

  // --- the module, and workers that run it

  let loading, running = [];
  const unpacked = text => new Response(new Blob([Uint8Array.from(atob(text), c => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  function loaded() {
    return loading ||= new Promise((done, failed) => {
      const script = document.createElement('script');
      script.src = root.dataset.script;
      script.onload = async () => {
        try {
          const { glue, worker, module } = upsweepLens;
          done({ module: await WebAssembly.compile(await unpacked(module)), url: URL.createObjectURL(new Blob([glue, '\n', worker], { type: 'text/javascript' })) });
        } catch (failure) {
          failed(failure);
        }
      };
      script.onerror = () => { loading = undefined; failed(new Error('the lens could not be loaded: is lens.js next to this page?')) };
      document.head.append(script);
    });
  }
  // A recorded run: its script calls upsweepSteps with the run.
  const runs = new Map();
  globalThis.upsweepSteps = run => runs.set(run.name, run);
  function recorded_run(name) {
    if (runs.has(name)) return runs.get(name);
    return new Promise((done, failed) => {
      const script = make('script');
      script.src = recorded + named(name).recorded;
      script.onload = () => done(runs.get(name));
      script.onerror = () => failed(new Error(`the recorded run ${script.src} could not be loaded`));
      document.head.append(script);
    });
  }
  let stopped = () => {};
  function stop() {
    running.forEach(w => w.terminate()); running = [];
    stopped(new Error('Stopped.'));
  }
  async function run(a) {
    if (recorded) return recorded_run(a.variant);
    const { module, url } = await loaded();
    return new Promise((done, failed) => {
      const worker = new Worker(url);
      running.push(worker);
      stopped = failed;
      worker.onmessage = e => { worker.terminate(); const answer = JSON.parse(e.data); if (answer.error) failed(new Error(answer.error)); else done(answer) };
      worker.onerror = e => { e.preventDefault(); worker.terminate(); failed(new Error(e.message || 'the lens stopped')) };
      worker.postMessage({ module, asked: a });
    });
  }

  // --- the results

  const sum = (t, space, what) => Object.entries(t.events || {}).filter(([name, e]) => name.startsWith(space) && what in e).reduce((n, [, e]) => n + e[what], 0);
  const over = (t, space, what) => { const n = sum(t, space, what), ideal = sum(t, space, 'ideal_' + what); return n ? number(n) + (ideal < n ? ` (${number(ideal)})` : '') : 'none' };
  const rows = [
    ['elements', r => number(r.n)], ['result', r => !r.finished ? 'none: cut short' : r.wrong ? 'wrong: ' + r.wrong : 'right'],
    ['faults', r => r.findings.length ? r.findings.map(f => `${f.what}: ${f.text}`).join('; ') : 'none'],
    ['threads per block', r => number(r.launches.length ? Math.max(...r.launches.map(l => l.threads_a_block)) : 0)],
    ['launches, blocks', r => `${number(r.total.launches)}, ${number(r.total.blocks)}`],
    ['work', r => number(r.total.work)], ['span', r => number(r.total.span)], ['parallel steps', r => number(r.total.steps)], ['cost', r => number(r.total.cost)],
    ['warp instructions', r => number(r.total.instructions)], ['diverged', r => number(r.total.divergent)],
    ['global sectors (ideal)', r => over(r.total, 'global', 'sectors')], ['global bytes requested', r => number(sum(r.total, 'global', 'bytes'))],
    ['shared wavefronts (ideal)', r => over(r.total, 'shared', 'wavefronts')],
    ['worst bank conflict', r => { const d = Math.max(0, ...Object.values(r.total.events || {}).map(e => e.worst_degree || 0)); return d > 1 ? 'degree ' + d : 'none' }],
    ['block barriers', r => number(r.total.block_barriers)], ['warp barriers', r => number(r.total.warp_barriers)],
    ...(recorded ? [] : [['seconds in the browser', r => r.seconds.toFixed(2)]]),
  ];
  function counted(results) {
    const table = make('table'), head = make('tr', undefined, make('thead', undefined, table)), body = make('tbody', undefined, table);
    make('th', '', head);
    results.forEach(r => make('th', r.variant, head));
    for (const [name, of] of rows) {
      const tr = make('tr', undefined, body), texts = results.map(of);
      make('td', name, tr);
      texts.forEach(text => { make('td', text, tr) });
      if (new Set(texts).size > 1) tr.className = 'differs';
    }
    return table;
  }
  function lines_of(r) {
    const box = make('details'), table = make('table', undefined, box);
    box.prepend(make('summary', `Line by line: ${r.variant}`));
    const head = make('tr', undefined, make('thead', undefined, table)), body = make('tbody', undefined, table);
    for (const h of ['line', 'what', 'instructions', 'lanes', 'diverged', 'sectors (ideal)', 'wavefronts (ideal)']) make('th', h, head);
    for (const l of r.total.lines) {
      const tr = make('tr', undefined, body), pair = w => w in l ? number(l[w]) + (l['ideal_' + w] < l[w] ? ` (${number(l['ideal_' + w])})` : '') : '';
      for (const text of [`${l.file}:${l.line}`, l.what, number(l.instructions), number(l.lanes), number(l.divergent), pair('sectors'), pair('wavefronts')]) make('td', text, tr);
    }
    return box;
  }

  let players = [], turn = 0, clock;
  // Shows that a run is in progress and for how long; '' ends it.
  function progress(text) {
    clearInterval(clock);
    part('running').hidden = !text;
    const began = Date.now(), tick = () => say(`${text} (${Math.round((Date.now() - began) / 1000)} s)`);
    if (text) { say(text); clock = setInterval(tick, 1000) }
  }
  async function start({ keep, scroll }) {
    const mine = ++turn;
    stop();
    players.forEach(p => p.end()); players = [];
    if (!keep) steps = [0, 0];
    update_address();
    const a = asked(), both = [a, ...($('compare').value ? [{ ...a, variant: $('compare').value }] : [])].map(fitted);
    part('counts').textContent = ''; part('players').textContent = '';
    try {
      const results = [], played = [];
      progress(recorded || loading ? 'Running …' : 'Loading the lens …');
      if (!recorded) await loaded();
      for (const one of both) {
        if (mine !== turn) return;
        progress(`Running ${one.variant} …`);
        results.push((await run(one)).result);
      }
      for (const one of both) {
        if (mine !== turn || a.n > most.played) break;
        progress(`Recording the steps of ${one.variant} …`);
        played.push((await run({ ...one, record: true })).steps);
      }
      if (mine !== turn) return;
      progress('');
      const box = make('div', undefined, part('counts'));
      box.className = 'scrolls';
      box.append(counted(results));
      results.forEach(r => part('counts').append(lines_of(r)));
      part('command').textContent = both.map((one, k) => command(recorded ? { ...one, n: results[k].n } : one)).join('\n');
      const other = recorded && results.some(r => r.n !== a.n);
      say(other ? `A recorded run, with n = ${number(results[0].n)}.` : played.length ? '' : `Counted. Steps are played only up to n = ${number(most.played)}.`);
      part('players').classList.toggle('two', played.length > 1);
      played.forEach((D, k) => {
        const column = make('section', undefined, part('players')), at = steps[k];
        if (both.length > 1) make('h3', both[k].variant, column);
        const place = make('div', undefined, column);
        players.push(player(place, D, { at, keys: 'inside', moved: n => { steps[k] = n; update_address() } }));
        if (k === 0) place.focus({ preventScroll: true });
      });
      if (scroll && played.length) part('players').scrollIntoView();
    } catch (failure) {
      if (mine !== turn) return;
      progress('');
      say(failure.message, failure.message !== 'Stopped.');
    }
  }

  part('stop').onclick = stop;
  $('variant').onchange = fit;
  $('padding').onchange = () => { $('variant').value = $('padding').value; fit() };
  part('settings').onsubmit = e => { e.preventDefault(); start({ scroll: true }) };
  part('link').onclick = async () => { update_address(); try { await navigator.clipboard.writeText(location.href); say('The address of this step is in the clipboard.') } catch { say('The address bar shows the address of this step: ' + location.hash) } };
  new MutationObserver(() => players.forEach(p => p.redraw())).observe(document.body, { attributeFilter: ['data-md-color-scheme'] });
  addEventListener('hashchange', () => { if (location.hash !== address() && from_address()) start({ keep: true, scroll: true }) });
  $('variant').value = 'scan/blelloch-block';
  fit();
  if (from_address()) start({ keep: true, scroll: true });
})();
