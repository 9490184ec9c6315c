// A small office: to-do lists, a calendar, messages, a shop, issues, people, settings and invoices in German. What is stored is one
// object in the browser's own storage, so that a check sees all that a task changed.
const FIRST = {
  lists: {'To-do': [['Buy milk', 0], ['Pay rent', 0], ['Call Bob', 1]], Groceries: [['Eggs', 0], ['Buy milk', 0], ['Oat flakes', 0]]},
  events: [{title: 'Team lunch', date: '2027-03-14', time: '12:30', location: 'Berlin'}, {title: 'Budget', date: '2027-06-01', time: '', location: ''}],
  talks: {'Ann Lind': [['Ann Lind', 'The keys are on the table']], 'Bob Moe': [['Bob Moe', 'Shall we meet?']], 'Carol Ann': []},
  goods: [['Blue mug', 8], ['Blue lamp', 40], ['Green lamp', 35], ['Red chair', 90]],
  cart: [['Red chair', 1]], liked: ['Green lamp'],
  issues: [{id: 12, title: 'Logo is blurred', status: 'open', priority: 'low', assignee: 'Ann', notes: []},
           {id: 17, title: 'Crash on start', status: 'open', priority: 'high', assignee: '', notes: ['Seen twice']}],
  people: [['ann', 'ann@example.org', 'Editor'], ['dan', 'dan@example.org', 'Reader'], ['danny', 'danny@example.org', 'Reader']],
  settings: {title: 'Office', language: 'English', dark: false, mails: true, comments: true},
  rechnungen: [['R-1001', 'Huber', 120], ['R-1002', 'Meier', 80]],
  files: ['Plans', 'Notes.txt', 'Notes old.txt'], archived: [], lessons: [0, 0, 0], ward: '3A', orders: {4718: 'open', 4719: 'open'},
  crew: [['Gil Storm', 'Camera', 1], ['Ida Storm', 'Light', 1]], slots: [], volume: 60,
};
const store = () => JSON.parse(localStorage.office || JSON.stringify(FIRST));
const changes = () => { // what differs from the beginning, as text
  const now = store(), parts = [];
  for (const key of Object.keys(FIRST)) if (JSON.stringify(now[key]) !== JSON.stringify(FIRST[key])) parts.push(key + ' ' + JSON.stringify(now[key]));
  return parts.join('; ');
};
const keep = change => { const now = store(); change(now); localStorage.office = JSON.stringify(now); draw(); };
const text = words => String(words).replace(/[&<>"]/g, sign => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[sign]);
const asked = name => new URLSearchParams(location.search).get(name);
const go = address => { location.href = address; };

const PAGES = {
  '/': () => ['Overview', '<p>Welcome to the office. Choose where to go.</p>'],
  '/todo': () => ['To-do lists', Object.entries(store().lists).map(([name, entries]) => `<section aria-label="${name}"><h2>${name}</h2>
    <ul>${entries.map(([title, done], at) => `<li class="entry${done ? ' done' : ''}"><input type="checkbox" ${done ? 'checked' : ''} aria-label="done"
      onchange="keep(s => s.lists['${name}'][${at}][1] = +this.checked)"><span>${text(title)}</span>
      <button class="icon" aria-label="Delete" onclick="keep(s => s.lists['${name}'].splice(${at}, 1))">&#128465;</button></li>`).join('')}</ul>
    <form onsubmit="event.preventDefault(); const t = this.entry.value; if (t) keep(s => s.lists['${name}'].push([t, 0]))">
      <input name="entry" placeholder="What needs to be done?"><button>Add</button></form></section>`).join('')],
  '/calendar': () => ['Calendar', `<a class="button" href="/calendar/new">New event</a><table><tr><th>Title<th>Date<th>Time<th>Place<th></tr>
    ${store().events.map((event, at) => `<tr><td>${text(event.title)}<td>${event.date}<td>${event.time}<td>${text(event.location)}
      <td><a href="/calendar/edit?at=${at}">Edit</a> <button onclick="if (confirm('Delete this event?')) keep(s => s.events.splice(${at}, 1))">Delete</button>`).join('')}</table>`],
  '/calendar/new': () => ['New event', eventForm({title: '', date: '', time: '', location: ''}, 'Create', 's => s.events.push(e)')],
  '/calendar/edit': () => ['Edit event', eventForm(store().events[asked('at')], 'Save', `s => s.events[${+asked('at')}] = e`)],
  '/messages': () => ['Messages', `<ul class="people">${Object.keys(store().talks).map(name => `<li><a href="/messages?with=${name}">${name}</a></li>`).join('')}</ul>
    ${asked('with') ? `<h2>${asked('with')}</h2><div>${store().talks[asked('with')].map(([who, words]) => `<p><b>${who}</b>: <span>${text(words)}</span></p>`).join('')}</div>
    <form onsubmit="event.preventDefault(); const t = this.words.value; if (t) keep(s => s.talks['${asked('with')}'].push(['me', t]))">
      <textarea name="words" placeholder="Write a message"></textarea><button aria-label="Send">&#10148;</button></form>` : '<p>Choose somebody to talk to.</p>'}`],
  '/shop': () => ['Shop', `<form role="search" onsubmit="event.preventDefault(); go('/shop?q=' + encodeURIComponent(this.q.value))"><input type="search" name="q" aria-label="Search the shop"
      value="${text(asked('q') || '')}"><button>Search</button></form>
    <label>Sort by <select id="order" onchange="go('/shop?order=' + this.value)"><option value="">Newest</option><option value="name" ${asked('order') === 'name' ? 'selected' : ''}>Name</option>
      <option value="price" ${asked('order') === 'price' ? 'selected' : ''}>Price</option></select></label>
    <div class="cards">${shown().map(([name, price]) => `<div class="card"><h3>${name}</h3><p>${price} EUR</p>
      <button onclick="keep(s => s.cart.push(['${name}', 1]))">Add to cart</button>
      <button class="icon" aria-label="Favourite" aria-pressed="${store().liked.includes(name)}" onclick="keep(s => { const at = s.liked.indexOf('${name}'); at < 0 ? s.liked.push('${name}') : s.liked.splice(at, 1) })">&#9825;</button></div>`).join('')}</div>`],
  '/cart': () => ['Your cart', `<ul>${store().cart.map(([name, many], at) => `<li><span>${name}</span> <label>Quantity <input type="number" value="${many}" onchange="keep(s => s.cart[${at}][1] = +this.value)"></label>
      <button onclick="keep(s => s.cart.splice(${at}, 1))">Remove</button></li>`).join('')}</ul><h2>Favourites</h2><ul>${store().liked.map((name, at) => `<li><span>${name}</span>
      <button onclick="keep(s => s.liked.splice(${at}, 1))">Remove</button></li>`).join('')}</ul>`],
  '/issues': () => ['Issues', `<a class="button" href="/issues/new">Report an issue</a><table><tr><th>No.<th>Title<th>Status<th>Priority<th>Assignee</tr>
    ${store().issues.map(issue => `<tr><td>${issue.id}<td><a href="/issue?id=${issue.id}">${text(issue.title)}</a><td>${issue.status}<td>${issue.priority}<td>${issue.assignee}`).join('')}</table>`],
  '/issues/new': () => ['New issue', `<form onsubmit="event.preventDefault(); const i = {id: 18, title: this.t.value, status: 'open', priority: this.p.value, assignee: '', notes: [], text: this.d.value};
      keep(s => s.issues.push(i)); go('/issues')">
    <p><label>Summary <input name="t" required></label><p><label>Priority <select name="p"><option>low</option><option>normal</option><option>high</option></select></label>
    <p><label>Description <textarea name="d"></textarea></label><p><button>Submit issue</button> <a href="/issues">Cancel</a></form>`],
  '/issue': () => { const at = store().issues.findIndex(issue => issue.id == asked('id')), issue = store().issues[at]; return [issue.title, `<p>Status: <b>${issue.status}</b></p>
    <form onsubmit="event.preventDefault(); const f = this; keep(s => Object.assign(s.issues[${at}], {title: f.t.value, priority: f.p.value, assignee: f.a.value}))">
      <label>Title <input name="t" value="${text(issue.title)}"></label> <label>Priority <select name="p">${['low', 'normal', 'high'].map(p => `<option ${p === issue.priority ? 'selected' : ''}>${p}</option>`).join('')}</select></label>
      <label>Assignee <input name="a" value="${text(issue.assignee)}"></label> <button>Save changes</button></form>
    <button onclick="keep(s => s.issues[${at}].status = '${issue.status === 'open' ? 'closed' : 'open'}')">${issue.status === 'open' ? 'Close' : 'Reopen'} issue</button>
    <h2>Comments</h2><ul>${issue.notes.map(note => `<li>${text(note)}</li>`).join('')}</ul>
    <form onsubmit="event.preventDefault(); const t = this.c.value; if (t) keep(s => s.issues[${at}].notes.push(t))"><label>Comment <textarea name="c"></textarea></label><button>Post</button></form>`]; },
  '/people': () => ['People', `<a class="button" href="/people/new">Add person</a><table><tr><th>Name<th>E-mail<th>Role<th></tr>${store().people.map(([name, mail, role], at) =>
      `<tr><td><a href="/people/edit?at=${at}">${name}</a><td>${mail}<td>${role}<td><a href="/people/delete?at=${at}">Delete</a>`).join('')}</table>`],
  '/people/new': () => ['Add person', personForm(['', '', 'Reader'], 's => s.people.push(e)')],
  '/people/edit': () => [`Change ${store().people[asked('at')][0]}`, personForm(store().people[asked('at')], `s => s.people[${+asked('at')}] = e`)],
  '/people/delete': () => ['Delete person', `<p>Are you sure that you want to delete "${store().people[asked('at')]?.[0]}"?</p>
    <form onsubmit="event.preventDefault(); keep(s => s.people.splice(${+asked('at')}, 1)); go('/people')"><button>Yes, I'm sure</button> <a href="/people">No, take me back</a></form>`],
  '/settings': () => { const now = store().settings; return ['Settings', `<form onsubmit="event.preventDefault(); const f = this; keep(s => Object.assign(s.settings, {title: f.t.value, language: f.l.value}))">
    <p><label>Site title <input name="t" value="${text(now.title)}"></label><p><label>Language <select name="l">${['English', 'German', 'French'].map(l => `<option ${l === now.language ? 'selected' : ''}>${l}</option>`).join('')}</select></label>
    <p><button>Save</button></form>${[['dark', 'Dark mode'], ['mails', 'Email notifications'], ['comments', 'Comments']].map(([key, label]) => `<p><label><input type="checkbox" role="switch" ${now[key] ? 'checked' : ''}
      onchange="keep(s => s.settings.${key} = this.checked)"> ${label}</label>`).join('')}`]; },
  '/rechnungen': () => ['Rechnungen', `<a class="button" href="/rechnungen/neu">Neue Rechnung</a><table><tr><th>Nummer<th>Kunde<th>Betrag<th></tr>${store().rechnungen.map(([number, who, sum], at) =>
      `<tr><td>${number}<td>${who}<td>${sum} EUR<td><button onclick="if (confirm('Rechnung wirklich löschen?')) keep(s => s.rechnungen.splice(${at}, 1))">Löschen</button>`).join('')}</table>`],
  '/rechnungen/neu': () => ['Neue Rechnung', `<form onsubmit="event.preventDefault(); const e = [this.n.value, this.k.value, +this.b.value]; keep(s => s.rechnungen.push(e)); go('/rechnungen')">
    <p><label>Bezeichnung <input name="n" required></label><p><label>Kunde <input name="k"></label><p><label>Betrag <input name="b" type="number"></label><p><button>Speichern</button></form>`],
  // Menus that are drawn at the end of the page, apart from the row that they belong to.
  '/files': () => ['Files', `<table>${store().files.map((name, at) => `<tr><td>${text(name)}<td><button aria-haspopup="menu" aria-label="Actions for ${text(name)}"
      onclick="menu(this, ${at})">&#8943;</button>`).join('')}</table>`],
  // Headings that unfold what belongs to them; the last one's button is off.
  '/course': () => ['Course', store().lessons.map((done, at) => `<div><button aria-expanded="false" aria-controls="l${at}" onclick="const part = document.getElementById('l${at}'); part.hidden = !part.hidden;
      this.setAttribute('aria-expanded', !part.hidden)">Lesson ${at + 1}: ${['Air', 'Water', 'Soil'][at]}</button><div id="l${at}" hidden><p>Read it twice.</p>
      <button ${done || at === 2 ? 'disabled' : ''} onclick="keep(s => s.lessons[${at}] = 1)">${done ? 'Completed' : 'Mark as complete'}</button></div></div>`).join('')],
  '/ward': () => ['Ward', `<label>Ward <select onchange="keep(s => s.ward = this.value)"><option value="">All wards</option>${['3A', '3B', '4'].map(w => `<option ${w === store().ward ? 'selected' : ''}>${w}</option>`).join('')}</select></label>`],
  '/orders': () => { const number = location.hash.slice(1); return ['Orders', number ? `<h2>Order ${number}</h2><p>${store().orders[number]}</p><button onclick="keep(s => s.orders[${number}] = 'shipped')">Mark as shipped</button>`
    : `<table>${Object.keys(store().orders).map(number => `<tr><td><a href="#${number}">${number}</a><td>${store().orders[number]}`).join('')}</table>`]; },
  // Fields that are drawn: a menu of a row that leads to a choice in a dialog, lists that open when they are pressed, a slider.
  '/studio': () => ['Studio', `<p><button onclick="book()">New booking</button><table>${store().crew.map(([name, part, works], at) => `<tr><td>${name}<td>${part}<td>${works ? 'works' : 'suspended'}
      <td><button aria-haspopup="menu" aria-label="Options for ${name}" onclick="crew(this, ${at})">&#8943;</button>`).join('')}</table>
    <h2>Bookings</h2><ul>${store().slots.map(([title, from, until, room]) => `<li>${text(title)}, ${from} to ${until}, ${room}</li>`).join('')}</ul>
    <p><span id="vl">Volume</span> <span role="slider" tabindex="0" aria-labelledby="vl" aria-valuemin="0" aria-valuemax="100" aria-valuenow="${store().volume}"
      style="display: inline-block; width: 200px; height: 12px; background: silver" onkeydown="const by = {ArrowRight: 5, ArrowLeft: -5}[event.key];
      if (by) { louder(this, +this.getAttribute('aria-valuenow') + by); event.preventDefault(); }"></span>`],
};
const louder = (slider, value) => { slider.setAttribute('aria-valuenow', value); const now = store(); now.volume = value; localStorage.office = JSON.stringify(now); };
function modal(name, body) {
  document.querySelector('.menu')?.remove();
  const box = document.body.appendChild(document.createElement('div'));
  box.innerHTML = `<div role="dialog" aria-modal="true" aria-label="${name}" style="position: fixed; left: 90px; top: 90px; background: white; border: 1px solid">${body}</div>`;
  return box.firstChild;
}
function crew(button, at) {
  menu(button, at);
  document.querySelector('.menu').innerHTML = `<button role="menuitem" onclick="changePart(${at})">Change part</button><button role="menuitem" onclick="suspend(${at})">Suspend</button>`;
}
function changePart(at) {
  const box = modal('Change part', `<h2>Part of ${store().crew[at][0]}</h2>${['Camera', 'Light', 'Sound'].map(p => `<label><input type="radio" name="p" value="${p}" ${p === store().crew[at][1] ? 'checked' : ''}> ${p}</label>`).join(' ')}
    <p><button onclick="draw()">Cancel</button> <button id="keep">Save part</button>`);
  box.querySelector('#keep').onclick = () => keep(s => s.crew[at][1] = box.querySelector(':checked').value);
}
function suspend(at) {
  modal('Please confirm', `<p>${store().crew[at][0]} will not get any more bookings.</p><button onclick="draw()">Keep as it is</button> <button onclick="keep(s => s.crew[${at}][2] = 0)">Suspend</button>`);
}
const list = (label, id, value) => `<p><span id="${id}l">${label}</span> <button type="button" role="combobox" id="${id}" aria-haspopup="listbox" aria-expanded="false" aria-labelledby="${id}l ${id}" onclick="unfold(this)">${value}</button>`;
function unfold(button) {
  const times = ['9:00', '9:30', '10:00', '10:30', '11:00', '11:30'], box = button.parentNode.appendChild(document.createElement('div'));
  box.setAttribute('role', 'listbox');
  box.innerHTML = (button.id === 'room' ? ['Large room', 'Small room'] : times).map(value => `<div role="option" tabindex="-1" onclick="document.getElementById('${button.id}').textContent = this.textContent; this.parentNode.remove()">${value}</div>`).join('');
}
function book() {
  const box = modal('New booking', `<form><p><label>Title <input name="t"></label>${list('Start', 'from', '9:00')}${list('End', 'until', '9:30')}${list('Room', 'room', 'Large room')}<p><button>Save booking</button></form>`);
  box.querySelector('form').onsubmit = event => {
    event.preventDefault();
    const words = id => box.querySelector(id).textContent;
    keep(s => s.slots.push([event.target.t.value, words('#from'), words('#until'), words('#room')]));
  };
}
function menu(button, at) {
  document.querySelector('.menu')?.remove();
  const box = document.body.appendChild(document.createElement('div')), place = button.getBoundingClientRect();
  box.className = 'menu'; box.setAttribute('role', 'menu'); box.style.cssText = `position: absolute; left: ${place.left}px; top: ${place.bottom}px; background: white`;
  box.innerHTML = `<button role="menuitem" onclick="rename(${at})">Rename</button><button role="menuitem" onclick="keep(s => s.archived.push(s.files.splice(${at}, 1)[0]))">Archive</button>`;
}
function rename(at) {
  document.querySelector('.menu').remove();
  const box = document.body.appendChild(document.createElement('dialog'));
  box.innerHTML = `<form onsubmit="event.preventDefault(); const name = this.n.value; keep(s => s.files[${at}] = name)"><h2>Rename</h2><label>New name <input name="n" value="${text(store().files[at])}"></label><button>Rename</button></form>`;
  box.showModal();
}
addEventListener('hashchange', () => draw());
const shown = () => store().goods.filter(([name]) => name.toLowerCase().includes((asked('q') || '').toLowerCase()))
  .sort((a, b) => asked('order') === 'price' ? a[1] - b[1] : asked('order') === 'name' ? a[0].localeCompare(b[0]) : 0);
const eventForm = (event, button, change) => `<form onsubmit="event.preventDefault(); const f = this, e = {title: f.t.value, date: f.d.value, time: f.h.value, location: f.w.value}; keep(${change}); go('/calendar')">
  <p><label>Title <input name="t" required value="${text(event.title)}"></label><p><label>Date <input name="d" type="date" value="${event.date}"></label><p><label>Time <input name="h" type="time" value="${event.time}"></label>
  <p><label>Where <input name="w" value="${text(event.location)}"></label><p><label>Guests <input name="g"></label><p><button>${button}</button> <a href="/calendar">Cancel</a></form>`;
const personForm = ([name, mail, role], change) => `<form onsubmit="event.preventDefault(); const e = [this.n.value, this.m.value, this.r.value]; keep(${change}); go('/people')">
  <p><label>Name <input name="n" required value="${text(name)}"></label><p><label>E-mail <input name="m" type="email" value="${text(mail)}"></label>
  <p><label>Role <select name="r">${['Reader', 'Editor', 'Owner'].map(r => `<option ${r === role ? 'selected' : ''}>${r}</option>`).join('')}</select></label><p><button>Save</button></form>`;
function draw() {
  const [title, body] = PAGES[location.pathname]();
  document.title = title + ' | Office';
  const ways = [['/todo', 'To-do'], ['/calendar', 'Calendar'], ['/messages', 'Messages'], ['/shop', 'Shop'], ['/cart', `Cart (${store().cart.length})`], ['/issues', 'Issues'], ['/people', 'People'], ['/settings', 'Settings'], ['/rechnungen', 'Rechnungen']];
  document.body.innerHTML = `<header><a href="/">Office</a></header><nav><ul>${ways.map(([to, name]) => `<li><a href="${to}">${name}</a></li>`).join('')}</ul></nav><main><h1>${title}</h1>${body}</main>`;
}
addEventListener('DOMContentLoaded', draw);
