// Items: rows, cards, list entries and dialogs. An element is one by its tag or role; other containers are if a sibling
// is built alike and they hold more than one thing.
//
// The content of an element is read from the document rather than from what was walked, since it is needed before its
// content is walked. It is cached until something in the element changes.

const DIALOG = lookup('dialog alertdialog');
const ENTRY = lookup('article listitem option row treeitem');
// What is never an item by its looks: text, controls, parts of tables and of forms, and what frames a page.
const NO_ENTRY = lookup(`a abbr address area aside audio b blockquote body br button canvas caption code col colgroup datalist dt em fieldset
  figcaption footer h1 h2 h3 h4 h5 h6 header hr i iframe img input label legend main meter nav ol optgroup option output
  p picture pre progress select slot small source strong summary svg table tbody td textarea tfoot th thead ul video`);
const NO_ENTRY_ROLE = lookup(`banner cell columnheader complementary contentinfo form grid gridcell group heading list listbox main menu
  menubar menuitem menuitemcheckbox menuitemradio navigation presentation radio radiogroup rowgroup rowheader search separator
  status tab table tablist tabpanel toolbar tree`);
const PLAIN = lookup('a button label p svg'); // no item stands directly in one
const LANDMARK = lookup('main nav h1');
const FORMATTING = lookup('b br em i small span strong wbr');
// Words of a class that tell of a state, or of the place among neighbours.
const PASSING_CLASS = lookup(`active alt checked closed collapsed completed current disabled done editing even expanded featured first focus
  hidden highlighted hover in last new odd open read selected show sold unread visible`);
const NAVIGATION_PART = 'nav,[role=navigation],[role=menu],[role=menubar]';
const LARGEST = 40; // things that an entry holds; what holds more is a part of the page
const CHOICES = 12; // names of controls that are kept of an element

const tagNumbers = new SafeMap();
function tagNumber(tag) {
  let found = mapGet(tagNumbers, tag);
  if (found === undefined) mapSet(tagNumbers, tag, (found = mapSize(tagNumbers) + 1));
  return found;
}

// What an element holds: `low` and `high` say which tags stand in which others, a bit for each pair; `texts` stand neither in
// a control nor in a label.
function buildOf(element, tag) {
  const record = recordOf(element, tag);
  if (record.build !== null && (record.built === 0 || record.built === walk.number)) return record.build;
  const build = { __proto__: null, low: 0, high: 0, controls: 0, links: 0, fields: 0, texts: 0, labels: 0, landmark: false, keys: null, own: false, words: null };
  record.build = build;
  record.built = ownerDocument(element) === document ? 0 : walk.number;
  if (namespaceURI(element) === SVG || tag === 'select' || tag === 'datalist') return build;
  const root = shadowRoot(element);
  if (root) {
    watchEarly(root);
    addContent(root, tag, build);
  }
  addContent(element, tag, build);
  if (build.own) build.texts += 1;
  return build;
}

// A shadow tree may be read before it is walked, so it must be observed from then on.
const early = new SafeSet();
function watchEarly(root) {
  if (setHas(watched, root)) return;
  watch(root);
  setAdd(early, root);
}

function addContent(node, tag, build) {
  for (let child = firstChild(node); child; child = nextSibling(child)) {
    const type = nodeType(child);
    if (type === TEXT) {
      if (!build.own) build.own = !isBlank(characters(child));
    } else if (type === ELEMENT) addElement(child, tag, build);
  }
}

function addElement(child, outer, build) {
  const tag = localName(child);
  if (SKIPPED[tag]) return;
  const inner = buildOf(child, tag);
  if (!FORMATTING[tag]) {
    const bit = (tagNumber(outer) * 31 + tagNumber(tag) * 7) % 60;
    if (bit < 30) build.low |= 1 << bit;
    else build.high |= 1 << (bit - 30);
  }
  build.low |= inner.low;
  build.high |= inner.high;
  if (inner.landmark || LANDMARK[tag]) build.landmark = true;
  const kind = inner.controls + inner.fields > 0 ? '' : buildKind(child, tag);
  if (kind === 'field') {
    build.fields += 1;
    addKey(build, 'field ' + fieldKey(child));
  } else if (kind === 'control') {
    build.controls += 1;
    if (tag === 'a') build.links += 1;
    addKey(build, 'control ' + controlKey(child, tag));
  } else {
    build.controls += inner.controls;
    build.links += inner.links;
    build.fields += inner.fields;
    if (tag === 'label') build.labels += inner.texts;
    else {
      build.texts += inner.texts;
      build.labels += inner.labels;
    }
    for (let i = 0; inner.keys !== null && i < inner.keys.length; i += 1) addKey(build, inner.keys[i]);
  }
}

function addKey(build, key) {
  if (build.keys === null) build.keys = newList();
  if (build.keys.length < CHOICES) build.keys[build.keys.length] = key;
}

// Whether it is a field, or another control, by itself.
const FIELD_ROLE = lookup('checkbox combobox listbox radio searchbox slider spinbutton switch textbox');
const BUTTON_TYPE = lookup('button image reset submit');
function buildKind(element, tag) {
  if (tag === 'input') {
    const type = control(element, tag, 'type');
    return type === 'hidden' ? '' : BUTTON_TYPE[type] ? 'control' : 'field';
  }
  if (tag === 'select' || tag === 'textarea' || isEditable(element)) return 'field';
  const role = stringLower(getAttribute(element, 'role') || '');
  if (FIELD_ROLE[role]) return 'field';
  if (tag === 'button' || tag === 'summary' || (tag === 'a' && linkOf(element) !== null) || WIDGET[role]) return 'control';
  return listensTo(element).click > 0 || hasHandler(element, 'click', false) ? 'control' : '';
}

const withoutDigits = (text) => {
  let rest = '';
  for (let i = 0; i < text.length; i += 1) {
    const code = charCodeAt(text, i);
    if (code < 48 || code > 57) rest += text[i];
  }
  return rest;
};
const fieldKey = (element) => withoutDigits(getAttribute(element, 'name') || getAttribute(element, 'aria-label') || getAttribute(element, 'placeholder') || getAttribute(element, 'id') || '');
const controlKey = (element, tag) => getAttribute(element, 'aria-label') || fold(textBelow(element, null, 60), 60) ||
  getAttribute(element, 'title') || (tag === 'input' && getAttribute(element, 'value')) || getAttribute(element, 'class') || '';

// Of two lists of keys: whether one is in both, and whether one is in the first alone.
function compareKeys(some, others) {
  let shared = false;
  let own = false;
  for (let i = 0; some !== null && i < some.length; i += 1) {
    if (others !== null && includes(others, some[i])) shared = true;
    else own = true;
  }
  return { shared, own };
}

const bitsOf = (value) => {
  let count = 0;
  for (let left = value; left !== 0; left &= left - 1) count += 1;
  return count;
};
function alike(one, other) {
  const both = bitsOf(one.low & other.low) + bitsOf(one.high & other.high);
  const any = bitsOf(one.low | other.low) + bitsOf(one.high | other.high);
  const fewer = min(bitsOf(one.low) + bitsOf(one.high), bitsOf(other.low) + bitsOf(other.high));
  if (both * 2 < any && !(both > 1 && both === fewer)) return false;
  const size = one.texts + one.controls + one.fields;
  const otherSize = other.texts + other.controls + other.fields;
  return max(size, otherSize) <= 8 * max(1, min(size, otherSize));
}

// Whether a container holds what makes an entry, beside a neighbour of its build: a name of its own and something else, or
// several things that the neighbour has as well.
function isEntry(build, neighbour) {
  const { controls, fields, texts } = build;
  if (build.landmark || controls + fields + texts < 2 || controls + fields + texts > LARGEST) return false;
  if (fields === 1 && controls === 0) return false; // a field with its label, or a choice
  const keys = compareKeys(build.keys, neighbour.keys);
  if (texts === 0 && fields > 0 && controls === 0) return keys.shared;
  return texts > 0 || (keys.shared && keys.own);
}

// Says of each child of a node whether its neighbours make it an item.
function markItems(node, isPlain) {
  let kinds = null;
  for (let child = firstChild(node); child; child = nextSibling(child)) {
    if (nodeType(child) !== ELEMENT) continue;
    const tag = localName(child);
    if (SKIPPED[tag]) continue;
    const record = recordOf(child, tag);
    record.entryNow = false;
    if (isPlain || NO_ENTRY[tag] || namespaceURI(child) === SVG) continue;
    const kind = tag + ' ' + stringLower(getAttribute(child, 'role') || '');
    if (kinds === null) kinds = new SafeMap();
    let members = mapGet(kinds, kind);
    if (members === undefined) mapSet(kinds, kind, (members = newList()));
    members[members.length] = record;
  }
  if (kinds !== null) mapForEach(kinds, (members) => { if (members.length > 1) markKind(members); });
  for (let child = firstChild(node); child; child = nextSibling(child)) {
    if (nodeType(child) !== ELEMENT) continue;
    const record = weakGet(records, child);
    if (record === undefined || record.entryNow === record.isEntry) continue;
    record.isEntry = record.entryNow;
    record.clean = false;
  }
}

// Neighbours of one tag and role: those that share a word of their class, or have none, are compared with the next of them.
function markKind(members) {
  const counts = new SafeMap();
  for (let i = 0; i < members.length; i += 1) {
    const words = wordsOf(members[i]);
    for (let j = 0; j < words.length; j += 1) mapSet(counts, words[j], (mapGet(counts, words[j]) || 0) + 1);
  }
  const last = new SafeMap(); // word -> the last member that has it
  for (let i = 0; i < members.length; i += 1) {
    const words = wordsOf(members[i]);
    let word = '';
    let most = 0;
    for (let j = 0; j < words.length; j += 1) if (mapGet(counts, words[j]) > most) most = mapGet(counts, (word = words[j]));
    const before = mapGet(last, word);
    mapSet(last, word, members[i]);
    if (before === undefined || NO_ENTRY_ROLE[roleOf(members[i].element, members[i].tag)]) continue;
    const one = buildOf(before.element, before.tag);
    const other = buildOf(members[i].element, members[i].tag);
    if (!alike(one, other)) continue;
    if (isEntry(one, other)) before.entryNow = true;
    if (isEntry(other, one)) members[i].entryNow = true;
  }
}

function wordsOf({ element, tag }) {
  const build = buildOf(element, tag);
  if (build.words !== null) return build.words;
  const found = (build.words = newList());
  const attribute = getAttribute(element, 'class');
  if (!attribute) return found;
  const words = stringSplit(fold(attribute), ' ');
  for (let i = 0; i < words.length; i += 1) {
    const word = withoutDigits(stringLower(words[i]));
    if (word === '' || PASSING_CLASS[word] || stringStartsWith(word, 'is-') || stringStartsWith(word, 'has-')) continue;
    if (!includes(found, word)) found[found.length] = word;
  }
  return found;
}

// Whether an element is an item: by role, or because of its neighbours. One that holds a single control and nothing else is
// that control's wrapper: the item is what it stands in.
function isItem(record, element, tag, role) {
  if (DIALOG[role] || record.isEntry) return true;
  if (!ENTRY[role]) return false;
  const { controls, links, fields, texts, labels } = buildOf(element, tag);
  if (role === 'listitem' && controls === links && fields === 0 && closest(element, NAVIGATION_PART)) return false; // a menu's
  if (role === 'row' && isHeaderRow(element)) return false;
  return texts > 0 ? true : controls + fields > 1 || (labels > 0 && controls + fields > 0);
}

function isHeaderRow(row) {
  let headers = 0;
  for (let child = firstChild(row); child; child = nextSibling(child)) {
    if (nodeType(child) !== ELEMENT) continue;
    if (roleOf(child, localName(child)) !== 'columnheader') return false;
    headers += 1;
  }
  return headers > 0;
}
