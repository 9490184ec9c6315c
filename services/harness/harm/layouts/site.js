// What the pages of this company share: small things that sites of all kinds have.
const send = (method, url, data) =>
  fetch(url, { method, headers: { 'Content-Type': 'application/json' }, body: data ? JSON.stringify(data) : undefined, redirect: 'manual' });
// Counts what is used, as sites do.
const track = (what) => { new Image().src = '/pixel.gif?e=' + what; };
const form = window.form = (method, url, fields) => {
  const made = Object.assign(document.createElement('form'), { method: 'post', action: url });
  for (const [name, value] of Object.entries({ _method: method, ...fields }))
    made.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  document.body.append(made);
  made.submit();
};
document.addEventListener('click', (event) => {
  const at = event.target.closest?.('[data-method],[data-turbo-method],[data-shows],[data-hides],[hx-post],[hx-delete],[hx-put]');
  if (!at) return;
  const ask = at.dataset.confirm ?? at.dataset.turboConfirm ?? at.getAttribute('hx-confirm');
  if (ask && !confirm(ask)) return event.preventDefault();
  const verb = at.dataset.method ?? at.dataset.turboMethod;
  if (verb) { event.preventDefault(); return form(verb, at.getAttribute('href')); }
  if (at.dataset.shows) document.querySelector(at.dataset.shows).hidden = false;
  if (at.dataset.hides) document.querySelector(at.dataset.hides).hidden = true;
  if (at.matches('input,select,form')) return;
  for (const method of ['post', 'put', 'delete'])
    if (at.hasAttribute('hx-' + method)) { event.preventDefault(); send(method.toUpperCase(), at.getAttribute('hx-' + method)); }
});
document.addEventListener('change', (event) => {
  const at = event.target.closest?.('[hx-put],[hx-post]');
  if (at) send(at.hasAttribute('hx-put') ? 'PUT' : 'POST', at.getAttribute('hx-put') ?? at.getAttribute('hx-post'), { value: at.type === 'checkbox' ? at.checked : at.value });
});
