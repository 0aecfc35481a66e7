import type { QuestionAnswer, Row } from './ask.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { textOfNumber, type ExactNumber } from '../../kernel/json/exact-number.ts'
import { columnOf, hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { enumerationOf } from '../../kernel/record/column.ts'
import { cleanText } from '../../kernel/language-model/clean-text.ts'
import { fieldWords, labelOf, words } from './label.ts'
import { moneyFields, shownOf } from './question.ts'
import { nounOf } from './vocabulary.ts'

/** Digits with a comma between the thousands; no digit is lost. */
export function digits(text: string): string {
  const [whole, part] = text.replace('-', '').split('.')
  const groups: string[] = []
  for (let end = whole!.length; end > 0; end -= 3) groups.unshift(whole!.slice(Math.max(0, end - 3), end))
  return `${text.startsWith('-') ? '-' : ''}${groups.join(',')}${part ? `.${part}` : ''}`
}

/** Text of records is shown as text: it has no marks of Markdown, no links and no lines. */
export const plain = (text: string): string =>
  cleanText(text.slice(0, 200), () => false)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\\`*_[\]<>|#~]/g, '')
    .replaceAll('://', ' ')

/** A text as it is, so that whoever confirms it sees what will be written: as code, which is no link and no mark, where `plain` would change it. */
export function exact(text: string): string {
  if (plain(text) === text) return text
  const runs = Array.from(text.matchAll(/`+/g), ([run]) => run.length)
  const fence = '`'.repeat(Math.max(0, ...runs) + 1)
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${space}${text}${space}${fence}`
}

function shown(shape: RecordShape, row: Row, name: string): string | null {
  const value = row[name]
  if (value === null || value === undefined || !hasColumn(shape, name)) return null
  const column = columnOf(shape, name)
  if (column.kind === 'boolean') return value ? 'yes' : 'no'
  if (column.kind === 'timestamp' || column.kind === 'date') return (value as string).slice(0, 10)
  if (column.kind === 'money' || column.kind === 'number' || column.kind === 'integer') {
    const text = digits(textOfNumber(value as ExactNumber))
    return moneyFields.has(name) && typeof row['currency'] === 'string' ? `${row['currency']} ${text}` : text
  }
  if (enumerationOf(column) || name === 'stage') return words(value as string)
  return plain(value as string)
}

/** A case has a number that says little alone. */
const nameOf = (shape: RecordShape, row: Row): string => {
  const label = labelOf(shape, row) ?? 'without a name'
  const subject = shape.object === 'case' ? row['subject'] : null
  return plain(typeof subject === 'string' ? `${label} ${subject}` : label)
}

const lineOf = (shape: RecordShape, row: Row): string => {
  const parts = shownOf[shape.object]!.filter((name) => name !== 'currency').flatMap(
    (name) => shown(shape, row, name) ?? [],
  )
  return `- ${nameOf(shape, row)}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`
}

const matching = (labels: readonly string[]): string =>
  labels.length > 0 ? ` matching: ${plain(labels.join('; '))}` : ''

const records = (object: string, total: number): string => `**${digits(String(total))}** ${nounOf(object, total)}`

function figures({ question, figures: all, total }: QuestionAnswer, labels: readonly string[]): string {
  const what = question.intent === 'SUM' ? 'Sum' : 'Average'
  const of = `${what} of ${fieldWords(question.measure!)} of ${nounOf(question.object, 2)}${matching(labels)}`
  if (all.length === 0) return `${of}: none of the ${total} has a value, so there is no figure.`
  return [
    `${of}:`,
    ...all.map(
      ({ currency, value, records: count }) =>
        `- **${currency ? `${currency} ` : ''}${digits(value)}** (${count} of ${total})`,
    ),
  ].join('\n')
}

function record(shape: RecordShape, row: Row): string {
  const owner = row['owner'] as { readonly name: string } | null | undefined
  const fields = shownOf[shape.object]!.filter((name) => name !== 'currency').flatMap((name) => {
    const value = shown(shape, row, name)
    return value === null ? [] : [`- ${words(fieldWords(name))}: ${value}`]
  })
  return [
    `${words(shape.object)} ${nameOf(shape, row)}:`,
    ...fields,
    `- Owner: ${owner ? plain(owner.name) : 'none'}`,
  ].join('\n')
}

interface Factor {
  readonly label: string
  readonly contribution: number
  readonly gainIfFixed: number
}

function score(row: Row): string {
  const name = plain(row['name'] as string)
  const chance = `Win probability: ${Math.round((row['winProbability'] as number) * 10_000) / 100} %.`
  if (row['score'] === null) return `The deal ${name} is closed, so it has no score. ${chance}`
  const factors = (row['factors'] as readonly Factor[]).toSorted((a, b) => b.gainIfFixed - a.gainIfFixed)
  return [
    `The deal ${name} scores **${row['score'] as number}** of 100 (${words(row['band'] as string)}). ${chance} Reasons:`,
    ...factors.map(
      ({ label, contribution, gainIfFixed }) =>
        `- ${plain(label)}: ${contribution} points, ${gainIfFixed} more are possible`,
    ),
  ].join('\n')
}

function attainment(rows: readonly Row[]): string {
  if (rows.length === 0) return 'There is no quota for the current periods that you see.'
  return rows
    .map((row) => {
      const number = (name: string) => digits(textOfNumber(row[name] as ExactNumber))
      if (row['closedWon'] === null) return `- ${row['period'] as string}: what was won is not readable for you.`
      const percent =
        row['attainmentPercent'] === null
          ? 'no percentage, because the target is 0'
          : `**${number('attainmentPercent')}** %`
      return `- ${row['period'] as string}: ${percent}, ${row['currency'] as string} ${number('closedWon')} of ${number('target')}`
    })
    .join('\n')
}

/** The answer in words. The figures that answer the question are bold, and nothing else is. */
export function answerInWords(answer: QuestionAnswer, labels: readonly string[]): string {
  const { question, rows, total, groups } = answer
  if (question.object === 'quota') return attainment(rows)
  const shape = recordType(question.object)()
  if (answer.isTooMany)
    return `There are too many ${nounOf(question.object, 2)} (${total}) for an exact figure, so I give none. Ask about fewer of them.`
  switch (question.intent) {
    case 'COUNT':
      return `${records(question.object, total!)}${matching(labels)}.`
    case 'SUM':
    case 'AVERAGE':
      return figures(answer, labels)
    case 'LIST':
      return [
        `${records(question.object, total!)}${matching(labels)}${total! > rows.length ? `, of which these are ${rows.length}:` : rows.length > 0 ? ':' : '.'}`,
        ...rows.map((row) => lineOf(shape, row)),
      ].join('\n')
    case 'TOP':
      return [
        `By ${fieldWords(question.measure!)}, in each currency, ${nounOf(question.object, 2)}${matching(labels)}:`,
        ...rows.map((row) => `- ${nameOf(shape, row)}: **${shown(shape, row, question.measure!)}**`),
      ].join('\n')
    case 'GROUP':
      return [
        `${words(nounOf(question.object, 2))} by ${fieldWords(question.groupBy!)}${matching(labels)}:`,
        ...groups.map(
          ({ value, count }) =>
            `- ${value === null ? 'None' : plain(words(String(value)))}: **${digits(String(count))}**`,
        ),
      ].join('\n')
    case 'RECORD':
      return record(shape, rows[0]!)
    case 'TIMELINE':
      if (rows.length === 0) return 'There is no activity that you see.'
      return ['The latest activities:', ...rows.map((row) => lineOf(recordType('activity')(), row))].join('\n')
    case 'SCORE':
      return score(rows[0]!)
  }
}
