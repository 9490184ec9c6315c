// Roles and names, after HTML-AAM and accname in essence.

const lookup = (text) => {
  const found = { __proto__: null };
  for (const pair of text.trim().split(/\s+/)) {
    const [key, value] = pair.split(':');
    found[key] = value === undefined ? true : value;
  }
  return found;
};
const ROLE_OF_TAG = lookup(`article:article aside:complementary blockquote:blockquote button:button caption:caption code:code
  datalist:listbox dd:definition del:deletion details:group dfn:term dialog:dialog dt:term em:emphasis fieldset:group
  figure:figure footer:contentinfo form:form h1:heading h2:heading h3:heading h4:heading h5:heading h6:heading
  header:banner hr:separator img:img ins:insertion legend:legend li:listitem main:main menu:list meter:meter nav:navigation
  ol:list optgroup:group option:option output:status p:paragraph progress:progressbar search:search strong:strong
  sub:subscript summary:button sup:superscript table:table tbody:rowgroup td:cell textarea:textbox tfoot:rowgroup
  thead:rowgroup time:time tr:row ul:list svg:graphics-document circle:graphics-symbol rect:graphics-symbol
  path:graphics-symbol ellipse:graphics-symbol polygon:graphics-symbol polyline:graphics-symbol line:graphics-symbol
  image:img`);
const ROLE_OF_INPUT = lookup(`button:button checkbox:checkbox color:textbox date:textbox datetime-local:textbox email:textbox
  file:button image:button month:textbox number:spinbutton password:textbox radio:radio range:slider reset:button
  search:searchbox submit:button tel:textbox text:textbox time:textbox url:textbox week:textbox`);
const WIDGET = lookup(`button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio
  scrollbar searchbox slider spinbutton switch tab textbox treeitem`);
// Containers that give a page its structure: rows hold cells, dialogs hold buttons. They are nodes even without own text.
const STRUCTURE = lookup(`alert alertdialog article cell columnheader complementary contentinfo dialog feed figure form grid
  gridcell group heading img list listbox listitem main menu menubar navigation progressbar radiogroup region row rowgroup
  rowheader search separator status table tablist tabpanel toolbar tooltip tree treegrid treeitem meter graphics-document
  banner`);
const NAME_FROM_CONTENT = lookup(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox
  menuitemradio option radio row rowheader switch tab tooltip treeitem`);
const INLINE = lookup('a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong sub sup time tspan tt u var wbr');
const FIELD = lookup('input select textarea');
const SHAPE = lookup('circle rect path ellipse polygon polyline line text g image use');
const SKIPPED = lookup('script style template noscript head meta link title base defs clipPath mask symbol linearGradient radialGradient metadata');

// What a custom element may tell of itself by its internals, where it has no attribute for it.
const TOLD = toldBy(`role:role aria-label:ariaLabel aria-checked:ariaChecked aria-pressed:ariaPressed aria-expanded:ariaExpanded
  aria-selected:ariaSelected aria-disabled:ariaDisabled aria-readonly:ariaReadOnly aria-invalid:ariaInvalid`);
function toldBy(names) {
  const getters = lookup(names);
  for (const name in getters) {
    const own = window.ElementInternals && descriptorOf(ElementInternals.prototype, getters[name]);
    getters[name] = own ? uncurry(own.get) : () => null;
  }
  return getters;
}
// An attribute of an element, or, where it has none, what its internals say instead.
const attributeOrTold = (element, name) => {
  const written = getAttribute(element, name);
  const own = written === null ? weakGet(internals, element) : undefined;
  return own ? TOLD[name](own) : written;
};

function roleOf(element, tag) {
  const explicit = attributeOrTold(element, 'role');
  if (explicit) {
    const first = stringLower(stringSplit(fold(explicit), ' ')[0]);
    if (first && first !== 'none' && first !== 'presentation') return first;
  }
  if (tag === 'input') {
    const type = control(element, tag, 'type');
    if (hasAttribute(element, 'list') && ROLE_OF_INPUT[type] === 'textbox') return 'combobox';
    return ROLE_OF_INPUT[type] || 'textbox';
  }
  if (tag === 'a' || tag === 'area') return linkOf(element) === null ? '' : 'link';
  if (tag === 'select') return control(element, tag, 'multiple') || control(element, tag, 'size') > 1 ? 'listbox' : 'combobox';
  if (tag === 'th') return getAttribute(element, 'scope') === 'row' ? 'rowheader' : 'columnheader';
  if (tag === 'body') return isEditable(element) ? 'textbox' : '';
  if (tag === 'section') return hasAttribute(element, 'aria-label') || hasAttribute(element, 'aria-labelledby') ? 'region' : '';
  return ROLE_OF_TAG[tag] || '';
}

const rootById = (element, id) => {
  const root = getRootNode(element);
  return nodeType(root) === 9 ? elementById(root, id) : nodeType(root) === 11 ? fragmentById(root, id) : null;
};

// In place of the part to leave out: all parts without letters that are hidden from names.
const UNSPOKEN = { __proto__: null };
const isUnspoken = (node) => getAttribute(node, 'aria-hidden') === 'true' && regExpExec(/\p{L}/u, textBelow(node, null, 300)) === null;

// All text below a node but that of fields, for labels and references. A slot shows what its host holds for it.
function textBelow(node, without, limit) {
  let text = '';
  if (nodeType(node) === ELEMENT && localName(node) === 'slot') {
    const assigned = assignedNodes(node, { __proto__: null, flatten: true });
    for (let i = 0; i < assigned.length && text.length < limit; i += 1) text += textOf(assigned[i], without, limit);
    if (assigned.length > 0) return text;
  }
  for (let child = firstChild(node); child && text.length < limit; child = nextSibling(child)) text += textOf(child, without, limit);
  return text;
}

function textOf(node, without, limit) {
  const type = nodeType(node);
  if (type === TEXT) return characters(node);
  if (type !== ELEMENT || node === without) return '';
  const tag = localName(node);
  if (SKIPPED[tag] || FIELD[tag] || (without === UNSPOKEN && isUnspoken(node))) return '';
  const inner = textBelow(node, without, limit) || getAttribute(node, 'aria-label') || (tag === 'img' && getAttribute(node, 'alt')) || '';
  return INLINE[tag] ? inner : ' ' + inner + ' ';
}

function labelOf(element, tag) {
  const labels = control(element, tag, 'labels');
  if (!labels) return '';
  let text = '';
  for (let i = 0; i < listLength(labels); i += 1) text += ' ' + textBelow(listItem(labels, i), element, most(300));
  return keep(fold(text) || labelOfHost(element), 200);
}

// The field alone in the shadow root of an element is called as that element is, which is what a person sees labelled.
function labelOfHost(element) {
  const root = getRootNode(element);
  const host = nodeType(root) === 11 && element === fragmentQuery(root, 'input,select,textarea') ? rootHost(root) : null;
  if (!host) return '';
  const given = nameByReference(host) || fold(getAttribute(host, 'aria-label') || '');
  if (given) return given;
  for (let at = parentNode(host); at && nodeType(at) === ELEMENT; at = parentNode(at)) {
    if (localName(at) === 'label') return fold(textBelow(at, host, most(300)));
  }
  const id = getAttribute(host, 'id');
  if (!id || nodeType(getRootNode(host)) !== 9) return '';
  const labels = attributeQuery(getRootNode(host), 'label[for]');
  for (let i = 0; i < listLength(labels); i += 1) {
    const label = listItem(labels, i);
    if (getAttribute(label, 'for') === id) return fold(textBelow(label, host, most(300)));
  }
  return '';
}

function nameByReference(element) {
  const ids = getAttribute(element, 'aria-labelledby');
  if (!ids) return '';
  let text = '';
  const list = stringSplit(fold(ids), ' ');
  for (let i = 0; i < list.length; i += 1) {
    const target = rootById(element, list[i]);
    if (target) text += ' ' + (getAttribute(target, 'aria-label') || textBelow(target, null, most(300)));
  }
  return fold(text);
}

// What stands for the content of an element without text: pictures and labelled parts within it.
function nameOfParts(element) {
  const part = queryOne(element, '[aria-label],img[alt],svg title,[title]');
  if (!part) return '';
  return fold(getAttribute(part, 'aria-label') || getAttribute(part, 'alt') || getAttribute(part, 'title') || textContent(part) || '');
}

// The text of an element without the signs and numbers that are hidden from names, as on a badge. What shows nothing else is called by
// them. Hidden words stay: they may say what a control does, as the word of an icon does.
function spokenOf(element, text) {
  if (!text || queryOne(element, '[aria-hidden=true]') === null) return text;
  if (fold(textBelow(element, null, most(300))) !== text) return text; // another part of it is not seen
  return fold(textBelow(element, UNSPOKEN, most(300))) || text;
}

// The name of the frame that a document is shown in, for an editor that is the whole document.
function nameOfFrame(element) {
  const view = defaultView(ownerDocument(element));
  const frame = view && view !== window ? view.frameElement : null;
  return frame ? clip(fold(getAttribute(frame, 'aria-label') || getAttribute(frame, 'title') || ''), 200) : '';
}

// The address of a link as written; null where it has none. Links of older drawings have it in `xlink:href`.
const linkOf = (element) => getAttribute(element, 'href') ?? (namespaceURI(element) === SVG ? getAttribute(element, 'xlink:href') : null);

function nameOf(element, tag, role, label, text) {
  const given = nameByReference(element) || fold(attributeOrTold(element, 'aria-label') || '');
  if (given) return keep(given, 300);
  if (label) return label;
  if (tag === 'body') return isEditable(element) ? nameOfFrame(element) : '';
  if (tag === 'input') {
    const type = control(element, tag, 'type');
    if (type === 'submit' || type === 'reset' || type === 'button') {
      const value = control(element, tag, 'value');
      if (value) return keep(fold(value), 200);
      if (type !== 'button') return type === 'submit' ? 'Submit' : 'Reset';
    }
  }
  const alternative = getAttribute(element, 'alt');
  if (alternative) return keep(fold(alternative), 200);
  const isDrawn = namespaceURI(element) === SVG;
  if (isDrawn || tag === 'fieldset' || tag === 'table' || tag === 'figure') {
    const inner = isDrawn ? 'title' : { fieldset: 'legend', table: 'caption', figure: 'figcaption' }[tag];
    for (let child = firstChild(element); child; child = nextSibling(child)) {
      if (nodeType(child) === ELEMENT && localName(child) === inner) {
        const said = keep(fold(textContent(child)), 200);
        if (said) return said;
      }
    }
  }
  if (NAME_FROM_CONTENT[role]) {
    const content = spokenOf(element, text) || nameOfParts(element);
    if (content) return keep(content, 200);
  }
  return keep(fold(getAttribute(element, 'title') || getAttribute(element, 'placeholder') || ''), 200);
}
