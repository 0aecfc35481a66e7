const known = new WeakMap<object, string>()

/** The JSON of a value that is sent to many clients and never changed: it is built once. */
export function sharedJson(value: object): string {
  let text = known.get(value)
  if (text === undefined) known.set(value, (text = JSON.stringify(value)))
  return text
}

/** The JSON of a value, which is the shared one if there is one. */
export const jsonOf = (value: unknown): string =>
  (typeof value === 'object' && value !== null && known.get(value)) || JSON.stringify(value)
