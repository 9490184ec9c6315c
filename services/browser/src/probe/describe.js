// Serializes a node as the JSON of `domain::Node`, without its parent. Built as text, so that no `toJSON` of the page
// runs.

const VALUE = 10000; // characters of a field's value
const KEPT = lookup(`id class name type placeholder title alt href action formaction formmethod method role for value draggable data-testid data-test data-cy data-qa
  onclick data-action data-method data-turbo-method data-command data-confirm data-turbo-confirm hx-delete hx-post hx-put hx-confirm`);
const KEPT_VALUE = lookup('radio checkbox submit button reset');
const TYPED = lookup('text search email password tel url number date time month week datetime-local color range');

function attributesOf(element, tag, role) {
  const list = elementAttributes(element);
  let json = '';
  for (let i = 0; i < attributesLength(list); i += 1) {
    const attribute = attributesItem(list, i);
    const written = attributeName(attribute);
    const name = written === 'xlink:href' && tag === 'a' && !hasAttribute(element, 'href') ? 'href' : written;
    if (!KEPT[name] && !stringStartsWith(name, 'aria-')) continue;
    const value = attributeValue(attribute);
    if (name === 'value' && !(tag === 'input' && KEPT_VALUE[control(element, tag, 'type')]) && tag !== 'li') continue;
    json += (json && ',') + quote(name) + ':' + quote(keep(name === 'href' ? addressOf(element, tag, value) : value, 300));
  }
  // A dialog that `showModal()` opened, and one that is only drawn, say in no attribute that they are modal.
  const isModal = tag === 'dialog' ? matches(element, ':modal') : role === 'dialog' && !attributeOrTold(element, 'role');
  if (isModal && !hasAttribute(element, 'aria-modal')) json += (json && ',') + '"aria-modal":"true"';
  const hidden = hiddenOf(element, tag);
  if (hidden) json += (json && ',') + '"form-hidden":' + quote(hidden);
  return json;
}

// The address of a link as written; absolute under a `<base>` and in frames, where it cannot be resolved against the
// page's address.
function addressOf(element, tag, written) {
  if (tag !== 'a' && tag !== 'area') return written;
  const own = ownerDocument(element);
  const isOwn = stringSplit(baseUri(element), '#')[0] === stringSplit(documentUrl(own), '#')[0];
  if (isOwn && own === document && isOutermost) return written;
  if ((isOwn && stringStartsWith(written, '#')) || regExpExec(/^\s*[a-z][a-z0-9+.-]*:/i, written)) return written;
  if (namespaceURI(element) === SVG) return resolved(written, baseUri(element));
  return tag === 'a' ? anchorHref(element) : areaHref(element);
}

// An address from the one of its page, for links of drawings, which have no resolved one of their own as a text.
function resolved(written, base) {
  try {
    return urlHref(new NativeUrl(written, base));
  } catch {
    return written; // no address
  }
}

const isOutermost = window.top === window;

// Words in hidden fields that a submit control sends, such as `_method=delete`: they say what it does. Tokens and
// numbers are left out.
function hiddenOf(element, tag) {
  if (tag !== 'button' && tag !== 'input') return '';
  const type = control(element, tag, 'type');
  if (type !== 'submit' && type !== 'image') return '';
  const form = control(element, tag, 'form');
  if (!form) return '';
  const inputs = elementsByTagWithin(form, 'input');
  const length = min(optionsLength(inputs), 100);
  let text = '';
  for (let i = 0; i < length && text.length < 200; i += 1) {
    const input = optionsItem(inputs, i);
    if (control(input, 'input', 'type') !== 'hidden') continue;
    const value = control(input, 'input', 'value');
    if (regExpExec(/^[a-z][a-z_ -]{0,29}$/i, value)) text += (text && '&') + (getAttribute(input, 'name') || '') + '=' + value;
  }
  return text;
}

// Rows of tabs are often drawn of plain parts: what such a row is called, and how the part is marked that is shown.
const TAB_ROW = /(^|[\s_-])(nav|navbar|navigation|navi|tabs?|tablist|tabbar|sidebar|side|sidenav|subnav|sections|menubar)([\s_-]|$)/i;
const TAB_SHOWN = /(^|[\s_-])(on|active|selected|current|aktiv|actif)([\s_-]|$)/i;
const TABS = 12; // parts of a row

const isShownTab = (part) => regExpExec(TAB_SHOWN, getAttribute(part, 'class') || '') !== null || hasAttribute(part, 'aria-current');

// `shown` or `other` for a part of a row that is called one of tabs, exactly one part of which is marked.
function drawnTab(element) {
  if (hasAttribute(element, 'role') || linkOf(element) !== null) return '';
  let part = element;
  let row = parentNode(part);
  if (row && nodeType(row) === ELEMENT && localName(row) === 'li') {
    part = row;
    row = parentNode(part);
  }
  if (!row || nodeType(row) !== ELEMENT) return '';
  if (regExpExec(TAB_ROW, (getAttribute(row, 'class') || '') + ' ' + (getAttribute(row, 'id') || '')) === null) return '';
  let parts = 0;
  let marked = 0;
  for (let child = firstChild(row); child && parts <= TABS; child = nextSibling(child)) {
    if (nodeType(child) !== ELEMENT) continue;
    parts += 1;
    if (isShownTab(child) || (child === part && isShownTab(element))) marked += 1;
  }
  if (parts < 2 || parts > TABS || marked !== 1) return '';
  return isShownTab(part) || isShownTab(element) ? 'shown' : 'other';
}

// Switches are often drawn of plain parts without words: what such a part is called, and how it is marked while it is on.
const SWITCH = /^(?:(?!nav)[a-z]{1,3}[_-])?(?:toggle-)?(?:tog|toggle|switch)$/i; // but `menu-toggle`, which opens something
const ON = /^(?:is-|[a-z-]+--)?(?:on|active|checked)$/i;
const OFF = /^(?:is-|[a-z-]+--)?(?:off|inactive|unchecked)$/i;
const ON_BESIDE = ':is(.on,.active,.checked,.is-on,.is-active,.is-checked)';

// Whether a drawn switch is on. One that bears no mark is off only where another one like it shows how it is marked; else null, as for what is
// no such switch.
function drawnSwitch(element, tag, role, by) {
  if (!by || role || FIELD[tag] || tag === 'a' || tag === 'label' || fold(textContent(element), 10) !== '') return null;
  const words = stringSplit(fold(getAttribute(element, 'class') || ''), ' ');
  let called = '';
  let marked = null;
  for (let i = 0; i < words.length; i += 1) {
    if (regExpExec(SWITCH, words[i])) called = called || words[i];
    else if (regExpExec(ON, words[i])) marked = true;
    else if (regExpExec(OFF, words[i])) marked = false;
  }
  if (!called || !isWide(clientRect(element))) return null;
  return marked === null && documentQuery(ownerDocument(element), '.' + called + ON_BESIDE) ? false : marked;
}
// A switch has room for its knob to go; what unfolds a branch of a tree is a small square.
const isWide = (box) => box.width >= 1.4 * box.height && box.width >= 20;

const aria = (element, name) => {
  const value = attributeOrTold(element, name);
  return value === 'true' ? true : value === 'false' ? false : null;
};

function statesOf(element, tag, role, by) {
  let checked = aria(element, 'aria-checked');
  let selected = aria(element, 'aria-selected');
  let expanded = aria(element, 'aria-expanded');
  let disabled = aria(element, 'aria-disabled') === true;
  let readonly = aria(element, 'aria-readonly') === true;
  if (tag === 'input') {
    const type = control(element, tag, 'type');
    if (type === 'checkbox' || type === 'radio') checked = control(element, tag, 'checked');
  }
  if (tag === 'option') selected = control(element, tag, 'selected');
  if (expanded === null) expanded = popoverState(element, tag);
  if (tag === 'summary') {
    const details = parentNode(element);
    if (details && localName(details) === 'details') expanded = detailsOpen(details);
  }
  if (FIELD[tag] || tag === 'button' || tag === 'option') {
    disabled = disabled || matches(element, ':disabled');
    readonly = readonly || control(element, tag, 'readOnly') === true;
  }
  let pressed = aria(element, 'aria-pressed');
  if (pressed === null) pressed = drawnSwitch(element, tag, role, by);
  const invalid = aria(element, 'aria-invalid') === true || (FIELD[tag] === true && matches(element, ':user-invalid'));
  let json = '';
  const add = (name, value) => {
    if (value !== null && value !== undefined) json += (json && ',') + '"' + name + '":' + value;
  };
  add('checked', checked);
  add('selected', selected);
  add('expanded', expanded);
  add('pressed', pressed);
  if (disabled) add('disabled', true);
  if (readonly) add('readonly', true);
  if (walk.focused === element) add('focused', true);
  if (invalid) add('invalid', true);
  return { json, disabled, readonly };
}

// Whether an element is an editor: by itself, or as the body of a document that is edited as a whole.
// Whether the popover that a button opens is open; null where it opens none.
function popoverState(element, tag) {
  const opens = tag === 'button' ? getAttribute(element, 'popovertarget') : null;
  const popover = opens ? rootById(element, opens) : null;
  try {
    return popover ? matches(popover, ':popover-open') : null;
  } catch {
    return null; // a browser without popovers
  }
}

const isEditable = (element) => {
  const value = getAttribute(element, 'contenteditable');
  if (value !== null) return value !== 'false';
  return localName(element) === 'body' && stringLower(designMode(ownerDocument(element))) === 'on';
};
const designMode = getterOf(Document.prototype, 'designMode');

function valueOf(element, tag, role) {
  if (tag === 'input') {
    const type = control(element, tag, 'type');
    if (type === 'password' || type === 'checkbox' || type === 'radio' || type === 'submit' || type === 'button' || type === 'reset' || type === 'image') return null;
    return control(element, tag, 'value');
  }
  if (tag === 'textarea' || tag === 'select') return control(element, tag, 'value');
  if (isEditable(element)) return fold(tag === 'body' ? textBelow(element, null, VALUE) : textContent(element));
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'scrollbar' || role === 'meter') {
    return getAttribute(element, 'aria-valuetext') || getAttribute(element, 'aria-valuenow') || getAttribute(element, 'value');
  }
  return null;
}

function optionsOf(element, tag) {
  let source = element;
  if (tag !== 'select') {
    source = tag === 'input' && hasAttribute(element, 'list') ? control(element, tag, 'list') : null;
    if (!source) return '';
    const found = elementsByTagWithin(source, 'option');
    return optionsJson(found);
  }
  return optionsJson(control(element, tag, 'options'));
}
const STYLED = 200; // options of a list whose styles are asked for
function optionsJson(list) {
  let json = '';
  const length = optionsLength(list);
  for (let i = 0; i < length && i < 1000; i += 1) {
    const option = optionsItem(list, i);
    // What the list does not show is not offered.
    if (i < STYLED && !control(option, 'option', 'selected') && isHiddenOption(option)) continue;
    const label = fold(control(option, 'option', 'label') || control(option, 'option', 'text'), most(300));
    json += (json && ',') + '{"label":' + quote(keep(label || control(option, 'option', 'value'), 300)) + ',"value":' + quote(keep(control(option, 'option', 'value'), 300)) +
      (control(option, 'option', 'selected') ? ',"selected":true' : '') + (matches(option, ':disabled') ? ',"disabled":true}' : '}');
  }
  return json;
}

function constraintsOf(element, tag) {
  if (!FIELD[tag]) return '';
  let json = '';
  const add = (name, value) => (json += (json && ',') + '"' + name + '":' + value);
  if (hasAttribute(element, 'required') || getAttribute(element, 'aria-required') === 'true') add('required', true);
  for (const name in TEXT_CONSTRAINTS) {
    const value = getAttribute(element, name);
    if (value !== null && value !== '') add(name, quote(clip(value, 300)));
  }
  for (const name in LENGTH_CONSTRAINTS) {
    const value = +getAttribute(element, name);
    if (value > 0 && value === floor(value)) add(LENGTH_CONSTRAINTS[name], value);
  }
  const message = complaintOf(element, tag);
  if (message) add('validation_message', quote(keep(message, 300)));
  return json;
}
// What the browser would say against a value when its form is handed in. A form that is not validated is handed in as it is.
function complaintOf(element, tag) {
  const form = control(element, tag, 'form');
  if (!control(element, tag, 'willValidate') || (form && hasAttribute(form, 'novalidate'))) return '';
  return control(element, tag, 'validationMessage');
}
const TEXT_CONSTRAINTS = lookup('pattern min max step autocomplete accept');
const LENGTH_CONSTRAINTS = lookup('minlength:min_length maxlength:max_length');

function operationsOf(element, tag, role, by, hover, scrolls, states) {
  const found = newList();
  const add = (operation) => (found[found.length] = '"' + operation + '"');
  if (by && !states.disabled) {
    const type = tag === 'input' ? control(element, tag, 'type') : '';
    if (type === 'file') add('upload');
    else if (tag === 'select') add('select');
    else {
      if (((tag === 'input' && TYPED[type]) || tag === 'textarea' || isEditable(element) || ((role === 'textbox' || role === 'searchbox') && tag !== 'input')) && !states.readonly) add('type');
      if (type === 'checkbox' || type === 'radio' || role === 'checkbox' || role === 'radio' || role === 'switch') add('check');
      add('click');
    }
    if (getAttribute(element, 'draggable') === 'true' || tag !== 'input' && listensTo(element).press > 0) add('drag');
  }
  if (hover) add('hover');
  if (scrolls) add('scroll');
  let json = '';
  for (let i = 0; i < found.length; i += 1) json += (json && ',') + found[i];
  return json;
}

// `rgb(1, 2, 3)` and `rgba(…)` as `#rrggbb`; none where it is (almost) transparent or no plain colour.
function hex(color) {
  const parts = regExpExec(/^rgba?\((\d+),\s*(\d+),\s*(\d+)(?:,\s*([\d.]+))?\)$/, color);
  if (!parts || (parts[4] !== undefined && +parts[4] < 0.1)) return '';
  let text = '#';
  for (let i = 1; i < 4; i += 1) text += (+parts[i] < 16 ? '0' : '') + toHex(+parts[i], 16);
  return text;
}

function colorOf(isSvg, styleOf) {
  if (isSvg) return hex(styleOf('fill')) || hex(styleOf('stroke'));
  const ink = hex(styleOf('color'));
  const ground = hex(styleOf('background-color'));
  return ground ? ink + ' on ' + ground : ink;
}

// The description without its box, and open at its end.
function describe({ element, tag, role, isSvg, by, hover, scrolls, text, source, place, item, bare }, styleOf) {
  const states = statesOf(element, tag, role, by);
  const operations = operationsOf(element, tag, role, by, hover, scrolls, states);
  const label = FIELD[tag] ? labelOf(element, tag) : '';
  const name = nameOf(element, tag, role, label, source);
  const value = valueOf(element, tag, role);
  const type = tag === 'input' ? control(element, tag, 'type') : '';
  const shown = type === 'submit' || type === 'button' || type === 'reset' ? text200(control(element, tag, 'value') || '') : text;
  let json = '{"frame":' + place.area.frame + ',"role":' + quote(bare ? 'generic' : role || (place.own && !by ? 'text' : 'generic')) + ',"tag":' + quote(tag);
  if (name) json += ',"name":' + quote(name);
  if (shown) json += ',"text":' + quote(shown);
  if (value !== null && value !== undefined) json += ',"value":' + quote(keep('' + value, VALUE));
  const tab = by ? drawnTab(element) : '';
  const written = attributesOf(element, tag, role);
  const attributes = written + (tab && (written && ',') + '"drawn-tab":"' + tab + '"');
  if (attributes) json += ',"attributes":{' + attributes + '}';
  if (states.json) json += ',"states":{' + states.json + '}';
  if (operations) json += ',"operations":[' + operations + ']';
  if (by) {
    json += ',"interactive_by":"' + by + '"';
    const context = clip(label || (FIELD[tag] ? textBefore(element, place) : shown) || surroundings(place), 200);
    if (context) json += ',"context":' + quote(context);
    const color = colorOf(isSvg, styleOf);
    if (color) json += ',"color":"' + color + '"';
    const icon = iconOf(element, tag, shown, styleOf);
    if (icon) json += ',"icon":' + quote(icon);
  }
  if (item) json += ',"is_item":true';
  if (by || operations) json += ',"xpath":' + quote(xpathOf(place));
  const options = tag === 'select' || tag === 'input' ? optionsOf(element, tag) : '';
  if (options) json += ',"options":[' + options + ']';
  const constraints = constraintsOf(element, tag);
  if (constraints) json += ',"constraints":{' + constraints + '}';
  if (place.shadow) json += ',"in_shadow":true';
  return json;
}

// The state of a control that changes without a mutation. When it differs, the control is described anew.
function signatureOf(element, tag) {
  if (!FIELD[tag]) return (walk.focused === element ? 'focused' : '') + hiddenOf(element, tag) + (popoverState(element, tag) || '') + toldOf(element);
  const message = complaintOf(element, tag);
  return control(element, tag, 'value') + '|' + control(element, tag, 'checked') + '|' + matches(element, ':user-invalid') + '|' + message + '|' +
    (walk.focused === element) + (tag === 'select' ? optionsJson(control(element, tag, 'options')) : '');
}

// All that a custom element says of itself by its internals: no mutation tells that it changed.
function toldOf(element) {
  const own = weakGet(internals, element);
  let text = '';
  if (own) for (const name in TOLD) text += '|' + TOLD[name](own);
  return text;
}

function freshen(entry) {
  const { element, tag } = entry;
  const signature = signatureOf(element, tag);
  if (signature === entry.signature) return;
  entry.signature = signature;
  entry.line = describe(entry.facts, (name) => styleValue(computedStyle(element), name));
}
