// The pictures of the templates, for what the scripts add.

/** Returns a picture, or null where the template has none of this name. @param {string} name @returns {Node | null} */
export function icon(name) {
  const template = document.querySelector(`template[data-icon="${name}"]`);
  const picture = template instanceof HTMLTemplateElement && template.content.firstElementChild;
  return picture ? picture.cloneNode(true) : null;
}
