import { existingCustomEvents } from '../../events/public.ts'
import { requireRightToActAs } from '../../identity/public.ts'
import { requireActingScopes, scopesOfEventTypes } from '../../kernel/acting-scopes.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { eventCatalog } from '../../kernel/outbox/event-catalog.ts'
import { customObjectOfEvents, recordTypeIn } from '../../kernel/record/custom-object.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { NamedTypes } from '../custom-object/named-objects.ts'
import { isHostPattern } from './allowed-host.ts'
import {
  apiNamePattern,
  envVarMax,
  envVarsCharactersMax,
  envVarsMax,
  scopePattern,
  upperNamePattern,
} from './bounds.ts'
import type { ServerlessFunction } from './function.ts'
import { scheduleProblem } from './schedule.ts'

function envProblems(env: unknown): FieldProblem[] {
  const problem = (path: string, code: string, message: string): FieldProblem[] => [{ path, code, message }]
  if (!isJsonObject(env)) return problem('envVars', 'WRONG_TYPE', 'envVars must be an object of names and texts.')
  const entries = Object.entries(env)
  if (entries.length > envVarsMax)
    return problem('envVars', 'TOO_MANY', `envVars must have at most ${envVarsMax} names.`)
  if (entries.flat().join('').length > envVarsCharactersMax)
    return problem('envVars', 'TOO_LONG', `envVars must have at most ${envVarsCharactersMax} characters together.`)
  return entries.flatMap(([name, value]) => {
    const path = `envVars.${name.slice(0, 64)}`
    if (!upperNamePattern.test(name))
      return problem(path, 'WRONG_FORMAT', 'A name in envVars must be UPPER_SNAKE_CASE with at most 64 characters.')
    if (typeof value !== 'string') return problem(path, 'WRONG_TYPE', `${path} must be text.`)
    return [...value].length > envVarMax
      ? problem(path, 'TOO_LONG', `${path} must have at most ${envVarMax} characters.`)
      : []
  })
}

/** Problems of the items of a list, and of items that it has twice. */
const itemProblems = (
  name: string,
  items: readonly string[],
  isRight: (item: string) => boolean,
  code: string,
  rule: string,
): FieldProblem[] =>
  items.flatMap((item, index) => {
    const path = `${name}.${index}`
    if (items.indexOf(item) < index) return [{ path, code: 'NOT_UNIQUE', message: `${path} must not be repeated.` }]
    return isRight(item) ? [] : [{ path, code, message: `${path} must be ${rule}.` }]
  })

const scheduleMessages = {
  WRONG_FORMAT: 'schedule must be five cron fields that come true, such as 0 6 * * * for every day at six.',
  OUT_OF_RANGE: 'schedule must come true at most every 5 minutes.',
}

/** What the values of a function alone say. */
export function settingsProblems(next: ServerlessFunction, previous: ServerlessFunction | null): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (!previous && !apiNamePattern.test(next.apiName)) {
    const message = 'apiName must be 2 to 48 lower-case letters, digits and underscores, and begin with a letter.'
    problems.push({ path: 'apiName', code: 'WRONG_FORMAT', message })
  }
  if (next.envVars !== previous?.envVars) problems.push(...envProblems(next.envVars))
  const hostRule = 'a host such as api.example.com, or *.example.com for the names below a host; no address'
  problems.push(...itemProblems('allowedHosts', next.allowedHosts, isHostPattern, 'NOT_A_HOST', hostRule))
  const scopeRule = 'a READ_ or WRITE_ scope such as READ_LEADS'
  problems.push(...itemProblems('scopes', next.scopes, (scope) => scopePattern.test(scope), 'UNKNOWN_SCOPE', scopeRule))
  const wrong = next.schedule === null || next.schedule === previous?.schedule ? null : scheduleProblem(next.schedule)
  if (wrong) problems.push({ path: 'schedule', code: wrong, message: scheduleMessages[wrong] })
  return problems
}

const customPrefix = 'custom.'

/** The custom object whose records have events of this type; null for other types. */
const objectOfEventType = (type: string): string | null => customObjectOfEvents(type.slice(0, type.lastIndexOf('.')))

/** The custom objects whose events start a function. */
export const startingObjects = ({ eventTypes }: Pick<ServerlessFunction, 'eventTypes'>): NamedTypes =>
  eventTypes.flatMap((type, index) => {
    const object = objectOfEventType(type)
    return object === null ? [] : [[`eventTypes.${index}`, object] as const]
  })

/** The event types that do not exist. Those that the function had before may have been deleted since. */
export async function eventTypeProblems(
  ctx: RequestContext,
  next: ServerlessFunction,
  previous: ServerlessFunction | null,
): Promise<FieldProblem[]> {
  const custom = next.eventTypes.filter((type) => type.startsWith(customPrefix))
  const existing = await existingCustomEvents(
    ctx,
    custom.map((type) => type.slice(customPrefix.length)),
  )
  const known = new Set([...(previous?.eventTypes ?? []), ...[...existing].map((name) => customPrefix + name)])
  const catalog = eventCatalog()
  const current = startingObjects(next).every(([, object]) => recordTypeIn(ctx, object))
    ? ctx
    : await withLatestExtensions(ctx)
  const isOfObject = (type: string): boolean => {
    const object = objectOfEventType(type)
    const shape = object === null ? null : recordTypeIn(current, object)
    return Object.hasOwn(shape?.events?.types ?? {}, type)
  }
  const exists = (type: string): boolean => known.has(type) || catalog.find(type)?.type === type || isOfObject(type)
  const rule =
    'a type of the event catalog, an existing custom.<apiName>, or custom_object.<name>.<created|updated|deleted|restored> of an existing custom object'
  return itemProblems('eventTypes', next.eventTypes, exists, 'UNKNOWN_EVENT', rule)
}

type Program = { readonly [K in 'runAsUserId' | 'scopes' | 'eventTypes']?: ServerlessFunction[K] | null }

/**
 * Whoever decides what a function does gets the rights of the user as whom it acts, and its scopes. So the caller must be an owner or admin,
 * must be allowed to act as this user, and must have the scopes of the function and those of the events that it receives. Takes the function
 * as it is and as it will be.
 */
export async function requireRightToProgram(ctx: RequestContext, ...programs: readonly Program[]): Promise<void> {
  requireScopesToProgram(ctx, ...programs)
  for (const userId of usersOf(programs)) await requireRightToActAs(ctx, userId)
}

/** The users as whom the programs act. */
export const usersOf = (programs: readonly Program[]): ReadonlySet<string> =>
  new Set(programs.flatMap(({ runAsUserId }) => runAsUserId ?? []))

/** As `requireRightToProgram`, without whom the programs act as. */
export function requireScopesToProgram(ctx: RequestContext, ...programs: readonly Program[]): void {
  requireAdministrator(ctx)
  const scopes = programs.flatMap((one) => [
    ...(one.scopes ?? []).filter((scope) => scopePattern.test(scope)),
    ...scopesOfEventTypes(one.eventTypes ?? []),
  ])
  requireActingScopes(ctx.caller, scopes)
}
