// Starts the players of a page with recorded runs.
for (const box of document.querySelectorAll('.playing')) {
  const steps = globalThis.upsweepPictures?.[box.dataset.picture];
  if (!steps) continue;
  const shown = player(box, steps, { at: +box.dataset.at, keys: 'inside' });
  new MutationObserver(() => shown.redraw()).observe(document.body, { attributeFilter: ['data-md-color-scheme'] });
}
