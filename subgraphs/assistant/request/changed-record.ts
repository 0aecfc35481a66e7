import { DateTime } from 'luxon'
import type { Column } from '../../kernel/record/column.ts'
import { hasColumn } from '../../kernel/record/definition.ts'
import { notFound } from '../../kernel/errors.ts'
import { textOfNumber, type ExactNumber } from '../../kernel/json/exact-number.ts'
import { selectionOf } from '../question/compile.ts'
import type { FoundName } from '../question/find-names.ts'
import { labelOf } from '../question/label.ts'
import type { Read, Row } from '../question/read-records.ts'
import { queryOf, shapeOf } from '../tool/records.ts'
import { dayInWords } from './days.ts'

interface Stage {
  readonly name: string
  readonly label: string
  readonly kind: 'OPEN' | 'WON' | 'LOST'
  readonly isActive: boolean
}

/** What is needed of the record that a change is about. */
export interface ChangedRecord {
  readonly label: string | null
  /** The present value of the field. */
  readonly value: unknown
  /** The present value in words; null where it is an id (`NamedRecords.nameOf`) or there is none. */
  readonly shown: string | null
  readonly currency: string | null
  readonly stages: readonly Stage[]
}

function wordsOf({ kind }: Column, value: unknown, zone: string): string | null {
  if (value === null || value === undefined || value === '' || kind === 'id') return null
  if (kind === 'timestamp') return momentInWords(value as string, zone)
  if (kind === 'money' || kind === 'number' || kind === 'integer') return textOfNumber(value as ExactNumber)
  if (kind === 'enum') return (value as string).toLowerCase().replaceAll('_', ' ')
  return String(value as string | boolean)
}

/** The time of day too, unless it is the beginning or the end of a day. */
function momentInWords(moment: string, zone: string): string {
  const local = DateTime.fromISO(moment, { zone })
  const time = local.toFormat('HH:mm')
  return dayInWords({ date: local.toISODate()!, time: time === '00:00' || time === '23:59' ? null : time })
}

export async function readRecord(
  read: Read,
  { object, id }: FoundName,
  column: Column,
  zone: string,
): Promise<ChangedRecord> {
  const shape = shapeOf(object)
  const isStage = column.name === 'stage'
  const hasCurrency = column.kind === 'money' && hasColumn(shape, 'currency')
  const names = selectionOf(shape)
    .split(' ')
    .filter((name) => name === 'id' || labels.has(name))
  const select = [...new Set([...names, column.name, ...(hasCurrency ? ['currency'] : [])])].join(' ')
  const more = isStage ? 'pipeline { stages { name label kind isActive } }' : ''
  const document = `query ($id: ID!) { record: ${queryOf(shape)}(id: $id) { ${select} ${more} } }`
  const { record } = await read<{ readonly record: Row | null }>({ document, variables: { id } })
  if (!record) throw notFound('The record')
  const pipeline = record['pipeline'] as { readonly stages: readonly Stage[] } | null | undefined
  const value = record[column.name] ?? null
  return {
    label: labelOf(shape, record),
    value,
    shown: pipeline?.stages.find(({ name }) => name === value)?.label ?? wordsOf(column, value, zone),
    currency: (record['currency'] as string | undefined) ?? null,
    stages: pipeline?.stages.filter(({ isActive }) => isActive) ?? [],
  }
}

const labels = new Set(['name', 'subject', 'caseNumber', 'email', 'company'])
const spaced = (text: string): string => text.toLowerCase().replaceAll(/[_-]/g, ' ')

/** The stage of the pipeline with this name; "won" and "lost" are the stage of that kind, if there is one. */
export function stageOf({ stages }: ChangedRecord, text: string): { value: string; words: string } | null {
  const kind = /^(?:closed )?(won|lost)$/.exec(text)?.[1]?.toUpperCase()
  const named = stages.filter(({ name, label }) => spaced(name) === text || spaced(label) === text)
  const found = named.length > 0 || !kind ? named : stages.filter((stage) => stage.kind === kind)
  return found.length === 1 ? { value: found[0]!.name, words: found[0]!.label } : null
}
