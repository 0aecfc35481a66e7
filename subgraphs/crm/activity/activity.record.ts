import { activeUsers, usersOfOrganization } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { linkRelations } from '../related-record/link-relations.ts'
import { readRelated, relatedRecordsExist, relatedToIsWhole } from '../related-record/related-record.rules.ts'
import { namesRelated } from '../related-record/related-types.ts'
import { activityEvents } from './activity.events.ts'
import { decideActivity, happensInOrder, isNotFarAhead } from './activity.rules.ts'
import { Activity } from './activity.ts'
import { isIdentified, namesParticipant, participantsExist } from './participant.ts'

export const activity: RecordDefinition<Activity> = defineRecord(Activity, {
  object: 'activity',
  table: 'crm.activity',
  visibleBy: ['ownerId', 'actorId'],
  searchable: ['subject', 'body'],
  hasSearchText: true,
  references: { ownerId: activeUsers, actorId: usersOfOrganization },
  relations: linkRelations('activity'),
  names: { relatedToId: namesRelated, 'participants.id': namesParticipant },
  totals: {
    by: ['type', 'direction', 'outcome'],
    measures: { automated: { where: { isAutomated: true } } },
  },
  events: activityEvents,
  decide: decideActivity,
  decidesAlone: true,
  readsTogether: readRelated,
  invariants: (next) => [...relatedToIsWhole(next), ...happensInOrder(next), ...isIdentified(next.participants)],
  checks: async (ctx, next, previous) => [
    ...isNotFarAhead(ctx, next, previous),
    ...(await relatedRecordsExist(ctx, next, previous)),
    // Participants never change.
    ...(previous ? [] : await participantsExist(ctx, next.participants)),
  ],
})
