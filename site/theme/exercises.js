// A line is pointed at, then a mend is picked; what the lens says comes to light when both are right, or when it is asked for.
for (const box of document.querySelectorAll('.exercise')) {
  const right = JSON.parse(box.dataset.right), told = box.querySelector('.told'), mends = box.querySelector('.mends');
  const say = (text, good) => { told.textContent = text; told.className = 'told ' + (good ? 'good' : 'bad') };
  // The lens's word before the mend, and the mend with the word after it: the two <details> that follow.
  const following = [];
  for (let e = box.nextElementSibling; e && following.length < 2 && !/^H[12]$/.test(e.tagName); e = e.nextElementSibling) if (e.tagName === 'DETAILS') following.push(e);
  for (const line of box.querySelectorAll('.line'))
    line.onclick = () => {
      box.querySelectorAll('.line').forEach(l => l.classList.remove('good', 'bad'));
      const good = right.includes(+line.dataset.line);
      line.classList.add(good ? 'good' : 'bad');
      if (!good) return say('Not this line: look again, or let the lens look.', false);
      mends.disabled = false;
      if (following[0]) following[0].open = true;
      say('There it is; the lens says so, too.', true);
    };
  for (const mend of mends.querySelectorAll('input'))
    mend.onchange = () => {
      if (mend.dataset.why !== 'right') return say(mend.dataset.why, false);
      if (following[1]) following[1].open = true;
      say('That mends it: what the lens says of it afterwards is below.', true);
    };
}
