import { compareNumbers, isExactNumber, type ExactNumber } from '../../../kernel/json/exact-number.ts'
import { isId } from '../../../kernel/ids.ts'
import { columnKinds } from '../../../kernel/record/column-kind.ts'
import { isStorable } from '../../../kernel/record/scalars.ts'
import { parseEmail } from '../../../kernel/values/email-address.ts'
import type { ScreenField } from './element-type.ts'

type Setting = 'options' | 'object' | 'minimum' | 'maximum' | 'maxLength'

/** How a field of a screen asks for its value. */
interface Component {
  /** What a value must be. */
  rule(field: ScreenField): string
  /** The settings that it may have, and those that it must have. */
  readonly settings: readonly Setting[]
  readonly required: readonly Setting[]
  /** The value as it is stored; undefined if the field cannot have it. */
  parse(field: ScreenField, value: unknown): unknown
}

const plain = { settings: [], required: [] } as const
const lineMax = 255
const paragraphMax = 32_000
const urlMax = 2_000

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && isStorable(value) && Array.from(value).length <= max

const textField = (longest: number): Component => ({
  settings: ['maxLength'],
  required: [],
  rule: ({ maxLength }) => `must be a text of at most ${maxLength ?? longest} characters`,
  parse: ({ maxLength }, value) => (isText(value, maxLength ?? longest) ? value : undefined),
})

const isWithin = ({ minimum, maximum }: ScreenField, value: ExactNumber): boolean =>
  (!isExactNumber(minimum) || compareNumbers(value, minimum) >= 0) &&
  (!isExactNumber(maximum) || compareNumbers(value, maximum) <= 0)

function isWebAddress(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
}

const hasOption = ({ options }: ScreenField, value: unknown): boolean => options.some((one) => one.value === value)

const components: Readonly<Record<string, Component>> = {
  TEXT: textField(lineMax),
  TEXTAREA: textField(paragraphMax),
  NUMBER: {
    settings: ['minimum', 'maximum'],
    required: [],
    rule({ minimum, maximum }) {
      const bounds = [
        ...(minimum === null ? [] : [`at least ${JSON.stringify(minimum)}`]),
        ...(maximum === null ? [] : [`at most ${JSON.stringify(maximum)}`]),
      ]
      return ['must be a number', ...bounds].join(', ')
    },
    parse(field, value) {
      const number = columnKinds.money.parse(value)
      return isExactNumber(number) && isWithin(field, number) ? number : undefined
    },
  },
  DATE: {
    ...plain,
    rule: () => 'must be a day, such as 2026-11-30',
    parse: (_field, value) => columnKinds.date.parse(value),
  },
  DATETIME: {
    ...plain,
    rule: () => 'must be a time in ISO 8601',
    parse: (_field, value) => columnKinds.timestamp.parse(value),
  },
  CHECKBOX: {
    ...plain,
    rule: () => 'must be true or false',
    parse: (_field, value) => (typeof value === 'boolean' ? value : undefined),
  },
  PICKLIST: {
    settings: ['options'],
    required: ['options'],
    rule: () => 'must be one of the options',
    parse: (field, value) => (hasOption(field, value) ? value : undefined),
  },
  MULTI_PICKLIST: {
    settings: ['options'],
    required: ['options'],
    rule: () => 'must be a list of options, each once',
    parse: (field, value) =>
      Array.isArray(value) && value.every((one) => hasOption(field, one)) && new Set(value).size === value.length
        ? value
        : undefined,
  },
  EMAIL: {
    ...plain,
    rule: () => 'must be an email address',
    parse: (_field, value) => (typeof value === 'string' ? (parseEmail(value) ?? undefined) : undefined),
  },
  PHONE: {
    ...plain,
    rule: () => 'must be a phone number: 3 to 40 digits, spaces and + ( ) - . /',
    parse: (_field, value) => (typeof value === 'string' && /^[-+()./\d ]{3,40}$/.test(value) ? value : undefined),
  },
  URL: {
    ...plain,
    rule: () => 'must be an address that begins with https:// or http://',
    parse: (_field, value) => (isText(value, urlMax) && isWebAddress(value) ? value : undefined),
  },
  LOOKUP: {
    settings: ['object'],
    required: ['object'],
    rule: () => 'must be the id of a record that you can see',
    parse: (_field, value) => (typeof value === 'string' && isId(value) ? value.toLowerCase() : undefined),
  },
  DISPLAY_TEXT: { ...plain, rule: () => 'must be absent, because the text is only shown', parse: () => undefined },
}

export const componentTypes = Object.keys(components)

export const componentOf = (type: string): Component => components[type]!
