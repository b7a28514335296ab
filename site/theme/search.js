// The search of the site. The index is a script, so that it can be loaded from disk as well. It calls upsweepSearch with
// [[address, title, page's title, text, other names of the page], …].
(() => {
  const form = document.forms.namedItem('find');
  if (!form) return;
  const box = form.closest('.md-search'), list = box.querySelector('.md-search-result__list'), meta = box.querySelector('.md-search-result__meta');
  const toggle = document.getElementById('__search'), input = form.query, base = form.dataset.base;
  const plain = text => text.toLowerCase().replace(/[-_/–:.,()<>"'`*]+/g, ' ').replace(/\s+/g, ' ').trim();
  let docs;
  function loaded() {
    return docs ||= new Promise((done, failed) => {
      globalThis.upsweepSearch = all => done(all.map(([where, title, page, text, names]) => ({
        where, title, page, text, names: (names || []).map(plain), head: plain(title), on: plain(page), low: ' ' + plain(text), words: plain(title).split(' ').concat((names || []).flatMap(n => plain(n).split(' '))),
      })));
      const script = document.createElement('script');
      script.src = base + '/search/index.js';
      script.onerror = () => { docs = undefined; failed(new Error('the index could not be loaded')) };
      document.head.append(script);
    });
  }
  // Whether two words differ by at most `most` letters that are added, left out, replaced or exchanged with a neighbour.
  function near(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return false;
    let before, row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
      }
      [before, row] = [row, next];
    }
    return row[b.length] <= most;
  }
  const typos = word => word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
  function word_score(d, word, forgiving) {
    let best = 0;
    for (const w of d.words) {
      if (w === word) best = Math.max(best, 30);
      else if (w.startsWith(word)) best = Math.max(best, 18);
      else if (forgiving && typos(word) && near(w, word, typos(word))) best = Math.max(best, 12);
    }
    if (d.low.includes(' ' + word)) best += 6;
    return best;
  }
  function score(d, query, words, forgiving) {
    let sum = 0;
    for (const word of words) {
      const one = word_score(d, word, forgiving);
      if (!one) return 0;
      sum += one;
    }
    if (d.names.includes(query)) sum += 300;
    else if (forgiving && d.names.some(n => near(n, query, Math.max(1, Math.floor(query.length / 6))))) sum += 150;
    if (d.head === query) sum += 120;
    else if (words.length > 1 && d.head.includes(query)) sum += 40;
    if (words.length > 1 && d.low.includes(' ' + query)) sum += 10;
    sum += d.where.includes('#') ? 0 : 8;                                    // a page before its sections
    if (/^(changes|trust|performance|ladder\/[\w-]+\/notes)/.test(d.where)) sum *= .6;
    return sum / Math.sqrt(1 + d.head.length / 40);
  }
  function found(all, text) {
    const query = plain(text), words = query.split(' ').filter(Boolean);
    if (!words.length) return [];
    for (const forgiving of [false, true]) {
      const hits = all.map(d => [score(d, query, words, forgiving), d]).filter(h => h[0] > 0);
      // The exact words are not enough where they are only in texts: a name with a typo may be meant.
      if (forgiving || hits.some(h => h[0] > 25)) return hits.sort((a, b) => b[0] - a[0]).slice(0, 30).map(h => h[1]);
    }
  }
  function excerpt(d, words) {
    const at = Math.max(0, Math.min(...words.map(w => d.text.toLowerCase().indexOf(w)).filter(i => i >= 0).concat(d.text.length)) - 40);
    return at >= d.text.length ? d.text.slice(0, 140) : (at ? '… ' : '') + d.text.slice(at, at + 160);
  }
  async function search() {
    try {
      const all = await loaded(), text = input.value, hits = found(all, text), words = plain(text).split(' ');
      list.textContent = '';
      meta.textContent = !text.trim() ? 'Type to search' : !hits.length ? 'Nothing was found' : hits.length === 30 ? 'The first 30 results' : hits.length === 1 ? 'One result' : `${hits.length} results`;
      for (const d of hits) {
        const item = document.createElement('li'), link = document.createElement('a'), article = document.createElement('article');
        item.className = 'md-search-result__item'; link.className = 'md-search-result__link'; article.className = 'md-search-result__article md-typeset';
        link.href = base + '/' + d.where;
        const title = document.createElement('h2'), text = document.createElement('p');
        title.textContent = d.page && d.page !== d.title ? `${d.title} · ${d.page}` : d.title;
        text.textContent = excerpt(d, words);
        article.append(title, text); link.append(article); item.append(link); list.append(item);
      }
    } catch (failure) {
      meta.textContent = failure.message;
    }
  }
  input.onfocus = () => { toggle.checked = true; loaded().catch(() => {}) };
  input.oninput = search;
  form.onreset = () => setTimeout(() => { search(); input.focus() });
  toggle.addEventListener('change', () => { if (toggle.checked) input.focus(); else input.blur() });
  form.onsubmit = e => { e.preventDefault(); list.querySelector('a')?.click() };
  list.onclick = () => { toggle.checked = false };
  document.addEventListener('keydown', e => {
    const links = [...list.querySelectorAll('a')], at = links.indexOf(document.activeElement);
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (toggle.checked && e.key === 'Escape') { toggle.checked = false; input.blur() }
    else if (toggle.checked && (e.key === 'ArrowDown' || e.key === 'ArrowUp') && (at >= 0 || document.activeElement === input)) {
      e.preventDefault(); e.stopPropagation();
      const to = at + (e.key === 'ArrowDown' ? 1 : -1);
      (to < 0 ? input : links[Math.min(to, links.length - 1)])?.focus();
    } else if (!toggle.checked && e.key === '/' && !/INPUT|TEXTAREA|SELECT/.test(e.target.tagName)) { e.preventDefault(); toggle.checked = true; input.focus() }
  }, true);
})();
