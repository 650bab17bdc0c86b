/** Returns the link of a contact: the contact itself if it is a URL, else a `mailto:` link. */
export const contactUrl = (contact: string) => (URL.canParse(contact) ? contact : `mailto:${contact}`);
