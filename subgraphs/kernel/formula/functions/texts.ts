import { dayText, timeText } from '../calendar.ts'
import { fromDigits, fromInteger, toCount, toDigits } from '../fixed-point.ts'
import { formulaLimits } from '../limits.ts'
import {
  find,
  firstOf,
  lastOf,
  lengthOf,
  lower,
  padEnd,
  padStart,
  slice,
  substitute,
  trim,
  trimmed,
  upper,
} from '../text.ts'
import { blankForm, form, type FunctionTable } from './form.ts'

const { text: textMax, fieldText: positionMax } = formulaLimits

const count = (value: bigint): number => toCount(value, 0, textMax)
const countSql = (value: string): string => `kernel.formula_count(${value}, 0, ${textMax})`
const position = (value: bigint): number => toCount(value, 1, positionMax)
const positionSql = (value: string): string => `kernel.formula_count(${value}, 1, ${positionMax})`

const trimmedSql = [...trimmed]
  .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  .join('')

const number = /^-?[0-9]{1,16}(?:\.[0-9]{1,20})?$/

export const texts: FunctionTable = {
  '&': [
    blankForm(
      ['TEXT', 'TEXT'],
      'TEXT',
      (one, other) => (one ?? '') + (other ?? ''),
      (one, other) => `coalesce(${one}, '') || coalesce(${other}, '')`,
    ),
  ],

  TEXT: [
    form(
      ['TEXT'],
      'TEXT',
      (value) => value,
      (value) => value,
    ),
    form(['NUMBER'], 'TEXT', toDigits, (value) => `trim_scale(${value})::text`),
    form(['DATE'], 'TEXT', dayText, (value) => `kernel.formula_text(${value})`),
    form(['DATETIME'], 'TEXT', timeText, (value) => `kernel.formula_text(${value})`),
    form(['BOOLEAN'], 'TEXT', String, (value) => `case when ${value} then 'true' else 'false' end`),
  ],
  VALUE: [
    form(
      ['TEXT'],
      'NUMBER',
      (text) => {
        const digits = trim(text)
        return number.test(digits) ? fromDigits(digits) : null
      },
      (text) => `kernel.formula_value(btrim(${text}, E'${trimmedSql}'))`,
    ),
  ],

  LEN: [
    blankForm(
      ['TEXT'],
      'NUMBER',
      (text) => fromInteger(lengthOf(text ?? '')),
      (text) => `coalesce(length(${text}), 0)::numeric`,
    ),
  ],
  LEFT: [
    form(
      ['TEXT', 'NUMBER'],
      'TEXT',
      (text, length) => firstOf(text, count(length)),
      (text, length) => `left(${text}, ${countSql(length)})`,
    ),
  ],
  RIGHT: [
    form(
      ['TEXT', 'NUMBER'],
      'TEXT',
      (text, length) => lastOf(text, count(length)),
      (text, length) => `right(${text}, ${countSql(length)})`,
    ),
  ],
  MID: [
    form(
      ['TEXT', 'NUMBER', 'NUMBER'],
      'TEXT',
      (text, start, length) => slice(text, position(start) - 1, position(start) - 1 + count(length)),
      (text, start, length) => `substr(${text}, ${positionSql(start)}, ${countSql(length)})`,
    ),
  ],
  UPPER: [form(['TEXT'], 'TEXT', upper, (text) => `kernel.formula_upper(${text})`)],
  LOWER: [form(['TEXT'], 'TEXT', lower, (text) => `kernel.formula_lower(${text})`)],
  TRIM: [form(['TEXT'], 'TEXT', trim, (text) => `btrim(${text}, E'${trimmedSql}')`)],
  CONTAINS: [
    form(
      ['TEXT', 'TEXT'],
      'BOOLEAN',
      (text, search) => text.includes(search),
      (text, search) => `strpos(${text}, ${search}) > 0`,
    ),
  ],
  BEGINS: [
    form(
      ['TEXT', 'TEXT'],
      'BOOLEAN',
      (text, search) => text.startsWith(search),
      (text, search) => `starts_with(${text}, ${search})`,
    ),
  ],
  FIND: [
    form(
      ['TEXT', 'TEXT'],
      'NUMBER',
      (search, text) => fromInteger(find(search, text, 1)),
      (search, text) => `strpos(${text}, ${search})::numeric`,
    ),
    form(
      ['TEXT', 'TEXT', 'NUMBER'],
      'NUMBER',
      (search, text, start) => fromInteger(find(search, text, position(start))),
      (search, text, start) => `kernel.formula_find(${search}, ${text}, ${positionSql(start)})`,
    ),
  ],
  SUBSTITUTE: [
    blankForm(
      ['TEXT', 'TEXT', 'TEXT'],
      'TEXT',
      (text, search, replacement) => text && substitute(text, search ?? '', replacement ?? ''),
      (text, search, replacement) =>
        `kernel.formula_substitute(${text}, coalesce(${search}, ''), coalesce(${replacement}, ''))`,
    ),
  ],
  LPAD: [
    form(
      ['TEXT', 'NUMBER'],
      'TEXT',
      (text, length) => padStart(text, count(length), ' '),
      (text, length) => `lpad(${text}, ${countSql(length)})`,
    ),
    form(
      ['TEXT', 'NUMBER', 'TEXT'],
      'TEXT',
      (text, length, fill) => padStart(text, count(length), fill),
      (text, length, fill) => `lpad(${text}, ${countSql(length)}, ${fill})`,
    ),
  ],
  RPAD: [
    form(
      ['TEXT', 'NUMBER'],
      'TEXT',
      (text, length) => padEnd(text, count(length), ' '),
      (text, length) => `rpad(${text}, ${countSql(length)})`,
    ),
    form(
      ['TEXT', 'NUMBER', 'TEXT'],
      'TEXT',
      (text, length, fill) => padEnd(text, count(length), fill),
      (text, length, fill) => `rpad(${text}, ${countSql(length)}, ${fill})`,
    ),
  ],
}
