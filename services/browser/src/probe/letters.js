// What a picture of the page shows in letters: each text, and each value of a field, with its box. Of what cannot be read there is
// only the box. Nothing is left out for its style: what is painted over without need does no harm.
const LETTERS = 20000; // most texts
const READ = 0;
const PASSWORD = 1;
const UNREADABLE = 2;

function letters() {
  const found = newList();
  lettersIn(document, 0, 0, found);
  const root = documentElement(document);
  // A picture may leave out the scroll bar.
  const widths = innerWidth(window) + ',' + (root ? clientWidth(root) : 0);
  let json = '{"widths":[' + widths + '],"scale":' + pixelRatio(window) + ',"all":' + (found.length < LETTERS) + ',"texts":[';
  for (let i = 0; i < found.length; i += 1) json += (i > 0 ? ',' : '') + found[i];
  return json + ']}';
}
function letter(found, kind, text, box, x, y) {
  if ((text === '' && kind === READ) || found.length >= LETTERS || !(box.width > 0) || !(box.height > 0)) return;
  found[found.length] = '[' + kind + ',' + quote(text) + ',' + number(box.left + x) + ',' + number(box.top + y) + ',' + number(box.width) + ',' + number(box.height) + ']';
}
function lettersIn(node, x, y, found) {
  for (let child = firstChild(node); child && found.length < LETTERS; child = nextSibling(child)) {
    if (nodeType(child) === TEXT) {
      const text = characters(child);
      if (!isBlank(text)) letter(found, READ, text, boxOfText(child), x, y);
    } else if (nodeType(child) === ELEMENT) lettersOf(child, localName(child), x, y, found);
  }
}
function lettersOf(element, tag, x, y, found) {
  if (tag === 'script' || tag === 'style' || tag === 'template' || tag === 'noscript') return;
  if (isFrame(element, tag)) {
    const inner = frameDocument(element);
    const box = clientRect(element);
    if (!inner) return letter(found, UNREADABLE, '', box, x, y);
    const left = x + box.left + clientLeft(element) + padding(element, 'padding-left');
    return lettersIn(inner, left, y + box.top + clientTop(element) + padding(element, 'padding-top'), found);
  }
  if (tag === 'input' || tag === 'textarea') {
    const value = '' + (control(element, tag, 'value') || '');
    const isPassword = tag === 'input' && control(element, tag, 'type') === 'password';
    if (value !== '') letter(found, isPassword ? PASSWORD : READ, isPassword ? '' : value, clientRect(element), x, y);
    else letter(found, READ, getAttribute(element, 'placeholder') || '', clientRect(element), x, y);
    return;
  }
  if (tag === 'select') return letter(found, READ, faceOf(element, tag), clientRect(element), x, y);
  if (tag === 'img') letter(found, READ, getAttribute(element, 'alt') || '', clientRect(element), x, y);
  const beside = generated(element, '::before') + generated(element, '::after');
  if (beside !== '') letter(found, READ, beside, clientRect(element), x, y);
  const root = shadowRoot(element);
  if (root) lettersIn(root, x, y, found);
  lettersIn(element, x, y, found);
}
