import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { storableText } from '../../kernel/json/storable-json.ts'
import type { SandboxError } from '../../kernel/sandbox/sandbox.ts'
import { shownCharactersMax } from './bounds.ts'
import type { Expectation } from './function-test.schema.ts'

/** What is not as a test expects it: the path in its file, and what must be. */
export interface Difference {
  readonly path: string
  readonly message: string
}

/** Text of a function as it is shown and stored. */
export const shortened = (text: string): string =>
  storableText(text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text)

const shown = (value: unknown): string => (value === undefined ? 'absent' : shortened(JSON.stringify(value)))

/** The first value that is not as it is expected; null if there is none. Objects may have further properties, lists no further items. */
function differenceAt(expected: unknown, actual: unknown, path: string): Difference | null {
  const different = (): Difference => ({
    path,
    message: `${path} must be ${shown(expected)}, and is ${shown(actual)}.`,
  })
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return different()
    if (actual.length !== expected.length)
      return { path, message: `${path} must have ${expected.length} items, and has ${actual.length}.` }
    for (const [index, item] of expected.entries()) {
      const found = differenceAt(item, actual[index], `${path}.${index}`)
      if (found) return found
    }
    return null
  }
  if (isJsonObject(expected)) {
    if (!isJsonObject(actual)) return different()
    for (const [name, value] of Object.entries(expected)) {
      const found = differenceAt(value, Object.hasOwn(actual, name) ? actual[name] : undefined, `${path}.${name}`)
      if (found) return found
    }
    return null
  }
  return JSON.stringify(expected) === JSON.stringify(actual) ? null : different()
}

/** How a function has ended: with an output, or with an error. */
export interface Ended {
  readonly output: unknown
  readonly error: SandboxError | null
}

/** What is not as the test expects it; null if everything is. */
export function differenceFrom({ output, error: expected }: Expectation, ended: Ended): Difference | null {
  const { error } = ended
  if (!expected) {
    if (!error) return differenceAt(output, ended.output, 'expect.output')
    return { path: 'expect.output', message: `The function failed: ${shortened(`${error.name}: ${error.message}`)}` }
  }
  if (!error) return { path: 'expect.error', message: `The function must fail, and returned ${shown(ended.output)}.` }
  if (expected.name !== undefined && expected.name !== error.name)
    return differenceAt(expected.name, error.name, 'expect.error.name')
  if (expected.message === undefined || error.message.includes(expected.message)) return null
  const path = 'expect.error.message'
  return { path, message: `${path} must be in the message of the error: ${shown(error.message)}.` }
}
