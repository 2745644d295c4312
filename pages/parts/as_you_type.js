// Text areas of the contract page send what was typed once the person pauses. The key press below
// is what Streamlit's text area takes for "send this": it reads the field as it is, and neither
// caret nor focus moves. Nothing is sent while an input method is composing a character.

const PAUSE = 600;
const FIELDS = '[class*="st-key-contract-"]:not([class*="st-key-contract-start"])';
const mounts = new WeakMap();

export default function ({ parentElement }) {
  if (!mounts.has(parentElement)) mounts.set(parentElement, listen());
  return () => {
    mounts.get(parentElement)?.();
    mounts.delete(parentElement);
  };
}

function listen() {
  const waiting = new Map();

  const forget = (field) => {
    clearTimeout(waiting.get(field));
    waiting.delete(field);
  };

  const typed = (event) => {
    const field = event.target;
    if (!(field instanceof HTMLTextAreaElement) || !field.closest(FIELDS)) return;
    forget(field);
    if (event.isComposing && event.type !== "compositionend") return;
    waiting.set(field, setTimeout(() => {
      forget(field);
      send(field);
    }, PAUSE));
  };

  document.addEventListener("input", typed, true);
  document.addEventListener("compositionend", typed, true);
  return () => {
    document.removeEventListener("input", typed, true);
    document.removeEventListener("compositionend", typed, true);
    for (const field of [...waiting.keys()]) forget(field);
  };
}

function send(field) {
  // A field that was left has been sent by being left.
  if (!field.isConnected || document.activeElement !== field) return;
  field.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", code: "Enter", ctrlKey: true, bubbles: true, cancelable: true }),
  );
}
