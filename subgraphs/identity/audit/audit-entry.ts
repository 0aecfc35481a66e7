import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { Columns } from '../../kernel/record/columns.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { filterOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'

@ObjectType({
  description:
    'One security-relevant change, such as a change of rights or a sign-in. Entries are never changed or removed.',
})
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'audit_entry' })
export class AuditLogEntry {
  @Column(() => ID, { description: 'Id of the entry.' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization.' })
  organizationId!: string

  @Column(() => DateTime, { description: 'When the change was made.' })
  createdAt!: string

  @Column(() => ID, {
    nullable: true,
    description: 'Id of the user who made the change; null for a directory (SCIM) and the platform.',
  })
  actorId!: string | null

  @Column(() => String, { description: 'Kind of the caller: SESSION, API_KEY, OAUTH, SCIM, ANONYMOUS or SYSTEM.' })
  actorKind!: string

  @Column(() => String, {
    nullable: true,
    description: 'Id of the session, API key or token of the actor; null if there was none.',
  })
  credentialId!: string | null

  @Column(() => String, { nullable: true, description: 'IP address of the actor; null if there was no request.' })
  ip!: string | null

  @Column(() => String, { nullable: true, description: 'User-Agent header of the request; null if it had none.' })
  userAgent!: string | null

  @Column(() => String, { description: 'Id of the request that made the change.' })
  requestId!: string

  @Column(() => String, { description: 'What was done, as `<object>.<past participle>`.' })
  action!: string

  @Column(() => String, { description: 'Kind of the changed object.' })
  targetType!: string

  @Column(() => String, { description: 'Id of the changed object.' })
  targetId!: string

  @Column(() => Json, {
    nullable: true,
    description:
      'Changed fields with their values before the change; the whole object for a deletion, null for a creation.',
  })
  before!: unknown

  @Column(() => Json, {
    nullable: true,
    description:
      'Changed fields with their values after the change; the whole object for a creation, null for a deletion.',
  })
  after!: unknown
}

export const auditLogEntry: RecordShape = {
  entity: AuditLogEntry,
  columns: Columns.of(AuditLogEntry),
  object: 'audit_entry',
  table: 'identity.audit_entry',
  visibleBy: [],
  searchable: ['action'],
}

export const AuditLogEntryFilter = filterOf('AuditLogEntryFilter', AuditLogEntry)
export const AuditLogEntryOrder = orderOf('AuditLogEntryOrder', AuditLogEntry)
export const AuditLogEntryPage = pageRequiring('AuditLogEntryPage', AuditLogEntry, 'SESSION')
