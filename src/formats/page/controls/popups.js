// Pop-ups. At most one pop-up is open at a time; Escape and a click elsewhere close it.

const Popups = {
  open: null,

  toggle(popup, anchor) {
    if (this.open === popup) this.close();
    else this.show(popup, anchor);
  },

  // Shows a pop-up below `anchor`, an element or a point.
  show(popup, anchor) {
    this.close();
    popup.hidden = false;
    const box = anchor instanceof Element
      ? anchor.getBoundingClientRect() : { left: anchor.x, right: anchor.x, bottom: anchor.y, top: anchor.y };
    const left = Math.min(box.left, innerWidth - popup.offsetWidth - 8);
    const below = box.bottom + 6 + popup.offsetHeight <= innerHeight;
    popup.style.left = Math.max(left, 8) + 'px';
    popup.style.top = Math.max(below ? box.bottom + 6 : box.top - popup.offsetHeight - 6, 8) + 'px';
    this.open = popup;
    this.anchor = anchor instanceof Element ? anchor : null;
    if (this.anchor) this.anchor.setAttribute('aria-expanded', 'true');
    const first = popup.querySelector('input, button, [tabindex]');
    if (first) first.focus();
  },

  close() {
    if (!this.open) return false;
    const hadFocus = this.open.contains(document.activeElement);
    this.open.hidden = true;
    this.open = null;
    if (this.anchor) {
      this.anchor.setAttribute('aria-expanded', 'false');
      if (hadFocus) this.anchor.focus();
    }
    this.anchor = null;
    return true;
  },
};

addEventListener('pointerdown', (event) => {
  const inside = Popups.open && Popups.open.contains(event.target);
  const onAnchor = Popups.anchor && Popups.anchor.contains(event.target);
  if (Popups.open && !inside && !onAnchor) Popups.close();
});
