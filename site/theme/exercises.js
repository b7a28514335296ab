// The reader clicks a line, then selects a fix. The right line opens the lens's output, the right fix the output after it.
for (const box of document.querySelectorAll('.exercise')) {
  const right = JSON.parse(box.dataset.right), verdict = box.querySelector('.verdict'), fixes = box.querySelector('.fixes');
  const say = (text, good) => { verdict.textContent = text; verdict.className = 'verdict ' + (good ? 'good' : 'bad') };
  // The two <details> that follow: the lens's output before the fix, and the fix with the output after it.
  const following = [];
  for (let e = box.nextElementSibling; e && following.length < 2 && !/^H[12]$/.test(e.tagName); e = e.nextElementSibling) if (e.tagName === 'DETAILS') following.push(e);
  for (const line of box.querySelectorAll('.line'))
    line.onclick = () => {
      box.querySelectorAll('.line').forEach(l => l.classList.remove('good', 'bad'));
      const good = right.includes(+line.dataset.line);
      line.classList.add(good ? 'good' : 'bad');
      if (!good) return say('Not this line. Try again, or open the output of the lens.', false);
      fixes.disabled = false;
      if (following[0]) following[0].open = true;
      say('Right: the lens reports this line.', true);
    };
  for (const fix of fixes.querySelectorAll('input'))
    fix.onchange = () => {
      if (fix.dataset.why !== 'right') return say(fix.dataset.why, false);
      if (following[1]) following[1].open = true;
      say('Right. The output of the lens after this fix is below.', true);
    };
}
