/** What a way of delivery says of itself, in words: a warning where it works, but not as the configuration says. */
export type Checked = string | { warning: string };
