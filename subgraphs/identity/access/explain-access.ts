import type { Caller } from '../../kernel/context.ts'
import { type ActingUser, userStateRefusal } from '../../kernel/credentials/public.ts'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { parentsIn, type RecordShape } from '../../kernel/record/definition.ts'
import { customFieldKey } from '../../kernel/record/custom-field-column.ts'
import { refuseReadOnlyFields, refuseHiddenFields } from '../../kernel/record/field-security.ts'
import { recordTypeIn, recordTypeNamesIn } from '../../kernel/record/custom-object.ts'
import { allColumnNames, readOne } from '../../kernel/record/read.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { requireAdministrator, requireEntitlement } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { findActingUser } from '../credential/credential-source.ts'
import type { AccessExplanation, AccessOperation, AccessReason, AccessRule } from './access.ts'

export interface AccessQuestion {
  readonly actor: string
  readonly object: string
  readonly id?: string | null
  readonly field?: string | null
  readonly operation: AccessOperation
}

/** Calls the same functions as a request of the user, so that the explanation cannot differ from it. For owners and admins. */
export async function explainAccess(ctx: RequestContext, question: AccessQuestion): Promise<AccessExplanation> {
  requireAdministrator(ctx)
  const { object, field = null, operation } = question
  const definition = recordTypeIn(ctx, object)
  if (!definition) {
    const message = `object must be one of ${recordTypeNamesIn(ctx).join(', ')}.`
    throw invalid({ path: 'object', code: 'UNKNOWN_OBJECT', message })
  }
  if (field !== null) refuseUnknown(definition, field)
  const user = await findActingUser(ctx.db, ctx.caller.organizationId, question.actor)
  if (!user) throw notFound('The user')
  const acting = { ...ctx, caller: callerOf(ctx, question.actor.toLowerCase(), user) }

  const reasons = [standing(user), entitlement(acting, definition)]
  if (operation !== 'READ') reasons.push(role(acting))
  if (operation !== 'CREATE') reasons.push(await visibility(ctx, acting, definition, question.id ?? null))
  if (field !== null && operation !== 'DELETE') reasons.push(fieldReason(acting.caller, definition, field, operation))
  const asked = reasons.filter((reason) => reason !== null)
  const refusing = asked.find(({ outcome }) => outcome === 'REFUSED')
  return { allowed: !refusing, rule: (refusing ?? asked.at(-1)!).rule, reasons: asked }
}

function refuseUnknown(definition: RecordShape, field: string): void {
  const column = definition.columns.byName.get(field)
  if (customFieldKey(field) !== null || (column && !column.internal)) return
  throw invalid({ path: 'field', code: 'UNKNOWN_FIELD', message: `${definition.object} has no field ${field}.` })
}

const callerOf = ({ caller }: RequestContext, userId: string, user: ActingUser): Caller => {
  const { organizationId, role, visibility, ownerIds, fields, entitlements } = user
  return { ...caller, kind: 'SESSION', organizationId, userId, role, visibility, ownerIds, fields, entitlements }
}

/** Runs a check that throws a refusal, and returns its result. */
function resultOf(rule: AccessRule, allowed: string, check: () => void): AccessReason {
  try {
    check()
    return { rule, outcome: 'ALLOWED', detail: allowed }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { rule, outcome: 'REFUSED', detail: `${error.code}: ${error.message}` }
  }
}

const standingDetail = {
  ORGANIZATION_SUSPENDED: 'ORGANIZATION_SUSPENDED: The organization is suspended.',
  API_KEY_OWNER_INACTIVE: 'The user is deactivated; keys answer API_KEY_OWNER_INACTIVE, sessions UNAUTHENTICATED.',
  API_KEY_OWNER_NOT_IN_ORG: 'The user has left; keys answer API_KEY_OWNER_NOT_IN_ORG, sessions UNAUTHENTICATED.',
}

function standing(user: ActingUser): AccessReason {
  const code = userStateRefusal(user)
  if (code) return { rule: 'STANDING', outcome: 'REFUSED', detail: standingDetail[code] }
  return { rule: 'STANDING', outcome: 'ALLOWED', detail: 'The user and the organization are active.' }
}

function entitlement(acting: RequestContext, { entitlement: feature }: RecordShape): AccessReason | null {
  if (!feature) return null
  return resultOf('ENTITLEMENT', `The plan includes ${feature}.`, () => requireEntitlement(acting, feature))
}

const role = (acting: RequestContext): AccessReason =>
  resultOf('ROLE', `The role ${acting.caller.role} may change records.`, () => requireWritableRole(acting))

async function visibility(
  ctx: RequestContext,
  acting: RequestContext,
  definition: RecordShape,
  id: string | null,
): Promise<AccessReason | null> {
  const { caller } = acting
  const rule = 'VISIBILITY'
  const columns = definition.visibleThrough || definition.visibleThroughRelated ? [] : definition.visibleBy
  if (id === null) {
    const detail = `Record visibility ${caller.visibility}: the user sees ${visibleInGeneral(caller, definition)}.`
    return { rule, outcome: 'ALLOWED', detail }
  }
  // Whoever asks learns nothing about a record out of sight, not even that it exists.
  const asking: Caller = { ...ctx.caller, fields: null }
  const record = await readOne({ ...ctx, caller: asking }, definition, id, allColumnNames(definition))
  if (!record) return { rule, outcome: 'REFUSED', detail: 'NOT_FOUND: You see no live record with this id.' }
  const isVisible = (await readOne(acting, definition, id)) !== null
  const outcome = isVisible ? ('ALLOWED' as const) : ('REFUSED' as const)
  const prefix = isVisible ? '' : 'NOT_FOUND: '
  const parents = parentsIn(definition, record)
  if (parents.length > 0) {
    const named = parents.map((parent) => `${parent.shape.object} ${String(parent.id)}`).join(' and ')
    return { rule, outcome, detail: `${prefix}The record is visible to users who can see ${named}.` }
  }
  if (definition.visibleThroughRelated)
    return {
      rule,
      outcome,
      detail: `${prefix}The record is related to no other; its owner is ${ownerInWords(caller, record['ownerId'])}.`,
    }
  if (definition.privateUnless) {
    const reason =
      record[definition.privateUnless] === true
        ? 'shared'
        : `private; its owner is ${ownerInWords(caller, record['ownerId'])}`
    return { rule, outcome, detail: `${prefix}The record is ${reason}.` }
  }
  if (columns.length === 0 || !caller.ownerIds)
    return {
      rule,
      outcome,
      detail: `Record visibility ${caller.visibility}: the user sees the records of all owners.`,
    }
  const owners = columns.map((name) => `${name} is ${ownerInWords(caller, record[name])}`).join(', ')
  return { rule, outcome, detail: `${prefix}Record visibility ${caller.visibility}: ${owners}.` }
}

function visibleInGeneral({ ownerIds }: Caller, shape: RecordShape): string {
  const { visibleThrough, visibleThroughRelated, masters, visibleBy, privateUnless } = shape
  if (masters) return `records whose ${masters.map(({ to }) => to().object).join(' and ')} is visible to the user`
  if (visibleThroughRelated) return 'records whose related record is visible to the user, and its own without one'
  if (privateUnless) return 'its own records, and those whose owner shares them'
  if (visibleThrough) return `records whose ${visibleThrough.to().object} is visible to the user`
  if (visibleBy.length === 0 || !ownerIds) return 'every record'
  return `records whose ${visibleBy.join(' or ')} is among the owners that the user sees`
}

function ownerInWords(caller: Caller, id: unknown): string {
  if (id === null) return 'empty'
  if (id === caller.userId) return 'the user'
  return caller.ownerIds?.includes(id as string)
    ? "a member of the user's teams"
    : 'an owner whose records the user does not see'
}

function fieldReason(caller: Caller, definition: RecordShape, field: string, operation: AccessOperation): AccessReason {
  const key = customFieldKey(field)
  const given = key === null ? { [field]: null } : { customFields: { [key]: null } }
  const verb = operation === 'READ' ? 'read' : 'written'
  return resultOf('FIELD', `${definition.object}.${field} may be ${verb}.`, () =>
    operation === 'READ'
      ? refuseHiddenFields(caller, definition, given)
      : refuseReadOnlyFields(caller, definition, given),
  )
}
