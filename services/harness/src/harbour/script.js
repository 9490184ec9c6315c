// The shop's only script: views of a page, what asks the server, what moves by itself, and the faults that are there on
// purpose. One view is shown at a time; what belongs to others is hidden.
(() => {
  'use strict';
  const roots = () => [document, ...[...document.querySelectorAll('harbour-box')].map((box) => box.shadowRoot).filter(Boolean)];
  const each = (selector, act) => roots().forEach((root) => root.querySelectorAll(selector).forEach(act));
  const within = (list, view) => list.split(' ').includes(view);

  function show(view) {
    document.body.dataset.view = view;
    each('[data-in]', (part) => {
      const shown = within(part.dataset.in, view);
      if (part.tagName !== 'DIALOG') part.hidden = !shown;
      else if (shown && !part.open) part.showModal();
      else if (!shown && part.open) part.close();
    });
    each('[role=tab]', (tab) => tab.setAttribute('aria-selected', within(tab.dataset.on, view)));
    each('[data-section]', (button) => button.setAttribute('aria-expanded', within(button.dataset.on, view)));
  }

  async function ask(button) {
    button.disabled = true;
    const answer = await fetch(button.dataset.ask).catch(() => null);
    button.disabled = false;
    show(answer && answer.ok ? button.dataset.show : button.dataset.failed || button.dataset.show);
  }

  async function route(path, push) {
    const answer = await fetch('/parts' + path);
    document.querySelector('main').outerHTML = await answer.text();
    document.title = document.querySelector('main h1').textContent + ' · Harbour';
    document.body.dataset.view = 'base';
    if (push) history.pushState({}, '', path);
  }

  const faults = {
    'bundle-weight': () => { const scales = {}; scales.weigh(); },
    'berth-depth': () => { Promise.reject(new Error('no sounding at this pier')); },
    'islands-ferry': () => { JSON.parse('<ferry>'); },
    'words-uncounted': () => { const words = 7; for (const word of words) String(word); },
    'gallery-enlarge': () => { new Array(-1); },
    'cookies-connect': () => { fetch(document.body.dataset.widgets + '/abroad/counts').catch(() => 0); },
    'tides-cors': () => { fetch(document.body.dataset.widgets + '/abroad/tides').catch(() => 0); },
    'sizes-in-feet': () => { console.error('sizes: no feet in this country'); },
    'notices-console': () => { console.error('notices: the gull is tired'); },
  };

  document.addEventListener('click', (event) => {
    const button = event.composedPath()[0].closest?.('a, button, [role=option]');
    if (!button) return;
    const { dataset } = button;
    if (dataset.route !== undefined) {
      event.preventDefault();
      route(button.getAttribute('href'), true);
    } else if (dataset.pick !== undefined) {
      each('[data-picked]', (field) => { if (field.dataset.picked === dataset.pick) field.value = '2026-05-' + button.textContent.padStart(2, '0'); });
      show(dataset.show);
    } else if (dataset.section !== undefined) {
      show(button.getAttribute('aria-expanded') === 'true' ? dataset.back : dataset.show);
    } else if (dataset.ask) ask(button);
    else if (dataset.show) show(dataset.show);
    else if (dataset.still !== undefined) {
      const note = button.nextElementSibling;
      note.textContent = ' ' + (1 + Number(note.textContent));
    } else if (dataset.href) location.href = dataset.href;
    else if (dataset.confirm) { if (confirm(dataset.confirm)) button.closest('form').submit(); }
    else if (dataset.fault) faults[dataset.fault]();
  });

  document.addEventListener('cancel', (event) => {
    event.preventDefault();
    event.target.querySelector('[data-close]')?.click();
  }, true);

  let asked = 0;
  document.addEventListener('input', async (event) => {
    const field = event.target;
    if (!field.dataset?.suggest) return;
    if (!field.value) return show(field.dataset.back);
    const number = ++asked;
    const items = await (await fetch('/api/suggest?q=' + encodeURIComponent(field.value))).json();
    if (number !== asked) return;
    const list = document.querySelector('[role=listbox]');
    list.replaceChildren(...items.map(([name, href]) => {
      const item = document.createElement('li');
      item.setAttribute('role', 'option');
      item.tabIndex = -1;
      item.dataset.href = href;
      item.textContent = name;
      return item;
    }));
    show(field.dataset.suggest);
  });

  addEventListener('popstate', () => { if (document.querySelector('main')?.dataset.routed !== undefined) route(location.pathname, false); });
  document.querySelectorAll('[data-clock]').forEach((clock) => {
    const tick = () => { clock.textContent = new Date().toLocaleTimeString(); };
    tick();
    setInterval(tick, 1000);
  });
  document.querySelectorAll('[data-endless]').forEach((list) => {
    let page = 0, busy = false;
    const more = async () => {
      if (busy || page >= 20) return;
      busy = true;
      page += 1;
      const names = await (await fetch('/api/more?page=' + page)).json();
      list.append(...names.map((name) => Object.assign(document.createElement('li'), { textContent: name })));
      busy = false;
    };
    addEventListener('scroll', () => { if (innerHeight + scrollY > document.body.scrollHeight - 200) more(); });
  });
})();
