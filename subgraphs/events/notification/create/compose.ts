import type { Recipient } from '../../../identity/public.ts'
import { redact } from '../../../kernel/record/field-security.ts'
import { recordNamed } from '../../../kernel/record/record-registry.ts'
import type { Candidate } from './candidates.ts'

const titleMax = 255
const bodyMax = 1000

export interface Composed {
  readonly title: string
  readonly body: string
  /** The name of the record; null without one, or when the recipient may not read it. */
  readonly subject: string | null
}

/** One line: names of records may contain anything. */
const oneLine = (text: string): string => text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()

function atMost(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : text
}

/** The text of a notification, from what the recipient may read of the record. */
export function compose(
  { kind, event, subject, record: whole }: Candidate,
  recipient: Recipient,
  names: ReadonlyMap<string, string>,
): Composed {
  const shape = recordNamed(subject.object)
  const record = shape ? redact(recipient, shape, whole) : whole
  // A comment is a record of its own, with its own field security.
  const ofEvent = shape && event.object !== subject.object ? recordNamed(event.object) : undefined
  const data = ofEvent
    ? { ...event.data, record: redact(recipient, ofEvent, event.data['record'] as object) }
    : event.data
  const nameOf = (id: unknown): string | null => (typeof id === 'string' ? (names.get(id) ?? null) : null)
  const value = kind.nameField && record[kind.nameField]
  const name = typeof value === 'string' ? oneLine(value) : ''
  const sentences = kind.body?.({ record, event: { ...event, data }, nameOf }) ?? []
  return {
    title: atMost(name ? `${kind.title}: ${name}` : kind.title, titleMax),
    body: atMost(oneLine(sentences.filter(Boolean).join(' ')), bodyMax),
    subject: name ? atMost(name, titleMax) : null,
  }
}
