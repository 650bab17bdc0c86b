/** A message of the catalogue: the types of its values, and the names of its tags. */
export interface Message<Values extends object = NoValues, Tag extends string = never> {
  values: Values;
  tag: Tag;
}
type NoValues = Record<never, never>;
