import { rightsOf, type Sender } from '../../../identity/public.ts'
import type { FieldRestrictions } from '../../../kernel/context.ts'
import type { Row } from '../../../kernel/database/sql.ts'
import { commonFields, commonRights } from '../../../kernel/record/common-rights.ts'
import { allColumnNames, readReference, visibleIds } from '../../../kernel/record/read.ts'
import { recordType } from '../../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { shapeOf } from '../enrolled-shape.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import type { ReadStep } from '../sequence-reading.ts'
import { asSender } from '../../email/as-sender.ts'

type Rights = Pick<Sender, 'id' | 'ownerIds' | 'fields'>

interface Concerned {
  readonly enrollments: readonly SequenceEnrollment[]
  readonly senders: ReadonlyMap<string, Sender>
  readonly steps: readonly ReadStep[]
  readonly templates: ReadonlyMap<string, Row>
}

/** With whose rights the values of an enrollment are read: what a text shows, each of them may see. */
export interface Readers {
  /** What the sender and the user who enrolled both see. */
  readonly record: RequestContext
  /** What the profiles of the authors hide: it is in no text. */
  readonly authorFields: FieldRestrictions | null
  /** For each author of the text whose visibility is limited. */
  readonly authors: readonly RequestContext[]
}

const rightsKeyOf = (rights: readonly Rights[]): string =>
  rights
    .filter(({ ownerIds, fields }) => ownerIds !== null || fields !== null)
    .map(({ id }) => id)
    .toSorted()
    .join(' ')

/** The readers of each enrollment, by its id. Those who see the same share a context, so that their records are read together. */
export async function readersOf(
  ctx: RequestContext,
  { enrollments, senders, steps, templates }: Concerned,
): Promise<ReadonlyMap<string, Readers>> {
  const authors = new Map<string, Set<string>>()
  for (const { sequenceId, updatedById, templateId } of steps) {
    const template = templateId === null ? undefined : templates.get(templateId)
    const own = authors.get(sequenceId) ?? new Set()
    for (const id of [updatedById, template?.['updatedById']]) if (typeof id === 'string') own.add(id)
    authors.set(sequenceId, own)
  }
  const authorsOf = ({ sequenceId }: SequenceEnrollment): string[] => [...(authors.get(sequenceId) ?? [])]
  const ids = new Set(enrollments.flatMap((one) => [one.enrolledById ?? [], authorsOf(one)].flat()))
  const rights = ids.size > 0 ? await rightsOf(ctx, [...ids]) : new Map<string, Rights>()
  const contexts = new Map<string, RequestContext>()
  const contextOf = (key: string, sender: Sender, common: Pick<Sender, 'ownerIds' | 'fields'>): RequestContext => {
    let found = contexts.get(key)
    if (!found) contexts.set(key, (found = asSender(ctx, { ...sender, ...common })))
    return found
  }
  return new Map(
    enrollments.flatMap((enrollment): [string, Readers][] => {
      const sender = enrollment.senderId ? senders.get(enrollment.senderId) : undefined
      if (!sender) return []
      const enroller = enrollment.enrolledById === null ? undefined : rights.get(enrollment.enrolledById)
      const writers = authorsOf(enrollment).flatMap((id) => rights.get(id) ?? [])
      const both = [sender, ...(enroller ? [enroller] : [])]
      const limited = writers.filter(({ ownerIds }) => ownerIds !== null)
      return [
        [
          enrollment.id,
          {
            record: contextOf(rightsKeyOf(both), sender, commonRights(both)),
            authorFields: commonFields(writers),
            authors: limited.map((author) => contextOf(`author ${author.id}`, sender, author)),
          },
        ],
      ]
    }),
  )
}

/**
 * The records of enrollments and their accounts, as their readers see them. An author who sees the record, and so could choose its address, limits
 * whether its account is read; the texts of a library are also sent to people whom its authors do not see.
 */
export async function readAsReaders(
  enrollments: readonly SequenceEnrollment[],
  readers: ReadonlyMap<string, Readers>,
): Promise<{ readonly records: ReadonlyMap<string, Row>; readonly accounts: ReadonlyMap<string, Row> }> {
  const accountShape = recordType('account')()
  const found = await Promise.all(
    enrollments.map(async ({ id, entityType, entityId }) => {
      const reader = readers.get(id)
      const shape = shapeOf(entityType)
      const record = reader ? await readReference(reader.record, shape, entityId, allColumnNames(shape)) : null
      const accountId = record?.['accountId']
      return { id, reader, shape, record, accountId: typeof accountId === 'string' ? accountId : null }
    }),
  )
  const accounts = await Promise.all(
    found.map(async ({ reader, shape, record, accountId }) => {
      if (!reader || !record || accountId === null) return null
      for (const author of reader.authors) {
        const seesRecord = (await visibleIds(author, shape, [record.id as string])).size > 0
        if (seesRecord && (await visibleIds(author, accountShape, [accountId])).size === 0) return null
      }
      return readReference(reader.record, accountShape, accountId, allColumnNames(accountShape))
    }),
  )
  return {
    records: new Map(found.flatMap(({ id, record }) => (record ? [[id, record] as const] : []))),
    accounts: new Map(found.flatMap(({ id }, index) => (accounts[index] ? [[id, accounts[index]] as const] : []))),
  }
}
