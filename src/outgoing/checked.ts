/** The state of a way of delivery, in words: a warning where it works otherwise than the configuration says. */
export type Checked = string | { warning: string };
