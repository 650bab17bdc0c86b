/** Why a password is refused; each continues the name of its field. */
export const refusals = {
  common: "is one of the most common passwords: choose one that others don't use",
  person: 'is your own name or address: choose something that others would not try first',
  service: 'is the name of this service: choose something that others would not try first',
} as const;
