import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { readReference } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { SequenceEnrollmentConnection, SequenceEnrollmentConnectionArgs } from '../enrollment/enrollment.inputs.ts'
import { sequenceEnrollment } from '../enrollment/enrollment.record.ts'
import { SequenceEnrollment } from '../enrollment/enrollment.ts'
import { Contact, Lead } from './extended-records.ts'

const types = { Connection: SequenceEnrollmentConnection, ConnectionArgs: SequenceEnrollmentConnectionArgs }

function enrolled(
  ctx: RequestContext,
  object: 'contact' | 'lead',
  enrollment: SequenceEnrollment,
  info: SelectionInfo,
) {
  const { entityType, entityId } = enrollment
  return entityType?.toLowerCase() === object && entityId
    ? readReference(ctx, recordType(object)(), entityId, selectedFields(info))
    : null
}

@Resolver(() => SequenceEnrollment)
class EnrolledResolver {
  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The enrolled contact; null if a lead is enrolled or the caller does not see it. Needs READ_CONTACTS.',
  })
  contact(@Root() root: SequenceEnrollment, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return enrolled(ctx, 'contact', root, info)
  }

  @FieldResolver(() => Lead, {
    nullable: true,
    description: 'The enrolled lead; null if a contact is enrolled or the caller does not see it. Needs READ_LEADS.',
  })
  lead(@Root() root: SequenceEnrollment, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return enrolled(ctx, 'lead', root, info)
  }
}

/** Edges between enrollments and the contacts and leads that are enrolled. */
export const enrollmentEdges: readonly Resource[] = [
  { resolver: EnrolledResolver, mentions: ['contact', 'lead'] },
  ...Object.entries({ contact: Contact, lead: Lead }).map(([enrolledType, type]) =>
    edgeToMany(type, 'sequenceEnrollments', {
      records: sequenceEnrollment,
      types,
      by: 'entityId',
      nullable: true,
      description: `Enrollments of the ${enrolledType} in sequences that the caller sees, newest first by default; null while they cannot be read.`,
    }),
  ),
]
