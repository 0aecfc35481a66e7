import { Field, ObjectType } from 'type-graphql'
import { nameOf } from '../../kernel/record/describe.ts'
import { batchOf } from '../../kernel/record/batch.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { referenceTo, type StreamedRecord } from '../record-change/record-change.ts'
import { notificationScope, type Notification } from './notification.ts'

/** The GraphQL type of the record that a notification is about, with one nullable field for each record type. */
export function notificationRecordOf(records: readonly StreamedRecord[]): new () => object {
  @ObjectType('NotificationRecord', {
    description: 'The record that a notification is about, in the field of its type. The other fields are null.',
  })
  @RequiresScopes(notificationScope)
  class NotificationRecord {}
  for (const { type, field, shape } of records) {
    const name = nameOf(shape)
    Field(() => referenceTo(type), {
      nullable: true,
      simple: true,
      description: `The ${name} that it is about; null if it is about none.`,
    })(NotificationRecord.prototype, field)
  }
  return NotificationRecord
}

const noFields: ReadonlySet<string> = new Set()

/** The record of a notification, if the caller sees it at this moment. */
export async function recordOfNotification(
  ctx: RequestContext,
  records: ReadonlyMap<string, StreamedRecord>,
  { entityType, entityId }: Pick<Notification, 'entityType' | 'entityId'>,
): Promise<object | null> {
  const record = entityType === null ? undefined : records.get(entityType)
  if (!record || entityId === null) return null
  const isVisible = await batchOf(ctx, noFields, `notification.${record.shape.object}`, async (ids) => {
    const visible = await visibleIds(ctx, record.shape, ids)
    return ids.map((id) => visible.has(id))
  }).load(entityId)
  return isVisible ? { [record.field]: { id: entityId } } : null
}
