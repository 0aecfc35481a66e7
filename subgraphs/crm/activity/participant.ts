import { ID } from 'type-graphql'
import type { FieldProblem } from '../../kernel/errors.ts'
import { usersOfOrganization } from '../../identity/public.ts'
import { enumeration } from '../../kernel/record/column.ts'
import type { NamedType } from '../../kernel/record/definition.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import type { RequestContext } from '../../kernel/request.ts'

export const ParticipantType = enumeration('ParticipantType', 'What a participant of an activity is.', {
  EMAIL: 'Somebody of whom only the email address is known.',
  USER: 'A user of the organization.',
  CONTACT: 'A contact.',
  LEAD: 'A lead.',
})
export type ParticipantType = keyof typeof ParticipantType

@Structure('Participant', 'Somebody who took part in an activity.')
export class Participant {
  @Part(() => ParticipantType, { description: 'What the participant is.', example: 'USER' })
  type!: ParticipantType

  @Part(() => ID, {
    nullable: true,
    description: 'Id of the user, contact or lead; required for them, and null for the type EMAIL.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  id!: string | null

  @Part(() => String, {
    nullable: true,
    max: 320,
    description: 'Email address that was used, as it was given; required for the type EMAIL. Null if unknown.',
    example: 'ida@halvorsen-marine.example',
  })
  email!: string | null

  @Part(() => String, {
    nullable: true,
    max: 50,
    description: 'Role in the activity, for example `organizer`, `to` or `cc`; null if none.',
    example: 'organizer',
  })
  role!: string | null
}

/** Which record type the id of a participant names. */
export const namesParticipant: NamedType = {
  kind: 'type',
  kindOf: (object) => ({ contact: 'CONTACT', lead: 'LEAD' })[object] ?? null,
}

export const isIdentified = (participants: readonly Participant[]): FieldProblem[] =>
  participants.flatMap(({ type, id, email }, index) => {
    const path = `participants.${index}`
    if (type === 'EMAIL') {
      if (id !== null)
        return [{ path: `${path}.id`, code: 'NOT_ALLOWED', message: `${path}.id must be null for the type EMAIL.` }]
      return email === null
        ? [{ path: `${path}.email`, code: 'REQUIRED', message: `${path}.email is required for the type EMAIL.` }]
        : []
    }
    return id === null
      ? [{ path: `${path}.id`, code: 'REQUIRED', message: `${path}.id is required for the type ${type}.` }]
      : []
  })

/** Users belong to the organization, and the caller sees contacts and leads. */
export async function participantsExist(
  ctx: RequestContext,
  participants: readonly Participant[],
): Promise<FieldProblem[]> {
  const known = new Map<ParticipantType, ReadonlySet<string>>()
  for (const type of ['USER', 'CONTACT', 'LEAD'] as const) {
    const ids = participants.flatMap(({ type: of, id }) => (of === type && id !== null ? [id] : []))
    if (ids.length > 0) known.set(type, await existing(ctx, type, ids))
  }
  return participants.flatMap(({ type, id }, index) => {
    if (id === null || known.get(type)?.has(id)) return []
    const path = `participants.${index}.id`
    return [
      { path, code: 'UNKNOWN_REFERENCE', message: `${path} must be the id of an existing record that you can see.` },
    ]
  })
}

async function existing(
  ctx: RequestContext,
  type: Exclude<ParticipantType, 'EMAIL'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (type === 'USER') return usersOfOrganization(ctx, ids)
  const shape = recordNamed(type.toLowerCase())
  return shape ? visibleIds(ctx, shape, ids) : new Set()
}
