import { Ajv, type ValidateFunction } from 'ajv'
import { requireActingScopes } from '../../kernel/acting-scopes.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { mappingProblems } from '../../kernel/template/mapping.ts'
import type { NamedTypes } from '../custom-object/named-objects.ts'
import { apiNamePattern } from '../function/bounds.ts'
import { schemaProblem } from '../schema-problem.ts'
import { objectNamed, shapeIn } from '../workflow/objects.ts'
import { definitionCharactersMax, namePattern, nameRule } from './bounds.ts'
import { elementTypeOf } from './elements/all.ts'
import { problemAt, type Config } from './elements/element-type.ts'
import { typeOf, valueOf } from './elements/values.ts'
import type { FlowElement } from './flow-parts.ts'
import type { FlowElementType } from './flow.enumerations.ts'
import type { Flow } from './flow.ts'

type Definition = Pick<Flow, 'apiName' | 'type' | 'variables' | 'startElement' | 'elements'>

/** Names that outputs have besides variables and elements. */
const reserved = new Set(['interview'])

const ajv = new Ajv({ allErrors: false, strict: false })
const compiled = new Map<FlowElementType, ValidateFunction>()

function validatorOf(type: FlowElementType): ValidateFunction {
  let validate = compiled.get(type)
  if (!validate) compiled.set(type, (validate = ajv.compile(elementTypeOf(type).schema)))
  return validate
}

function nameProblems({ variables, elements }: Definition): FieldProblem[] {
  const known = new Set<string>()
  const named = [
    ...variables.map(({ name }, index) => [`variables.${index}.name`, name] as const),
    ...elements.map(({ name }, index) => [`elements.${index}.name`, name] as const),
  ]
  return named.flatMap(([path, name]) => {
    if (!namePattern.test(name)) return [problemAt(path, 'WRONG_FORMAT', nameRule)]
    if (reserved.has(name))
      return [problemAt(path, 'NOT_ALLOWED', `must not be ${name}, which has a meaning of its own`)]
    if (known.has(name)) return [problemAt(path, 'NOT_UNIQUE', 'must be unique among the variables and elements')]
    known.add(name)
    return []
  })
}

const variableProblems = ({ variables }: Definition): FieldProblem[] =>
  variables.flatMap((variable, index) =>
    valueOf(variable, variable.defaultValue ?? null) === undefined
      ? [problemAt(`variables.${index}.defaultValue`, 'WRONG_TYPE', `must be ${typeOf(variable)}`)]
      : [],
  )

/** The connectors that lead somewhere. */
export const waysOf = ({ connectors }: Pick<FlowElement, 'connectors'>): [string, string][] =>
  Object.entries(isJsonObject(connectors) ? connectors : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )

function connectorProblems({ type, config, connectors }: FlowElement, path: string, names: ReadonlySet<string>) {
  const own = `${path}.connectors`
  if (connectors !== null && !isJsonObject(connectors))
    return [problemAt(own, 'WRONG_TYPE', 'must be an object or null')]
  const element = elementTypeOf(type)
  const allowed = [...(type === 'DECISION' ? [] : ['next']), ...element.connectors(config as Config)]
  const problems = Object.entries(connectors ?? {}).flatMap(([connector, to]) => {
    const at = `${own}.${connector.slice(0, 64)}`
    if (!allowed.includes(connector)) return [problemAt(at, 'UNKNOWN_FIELD', `must be one of ${allowed.join(', ')}`)]
    if (to === null || (typeof to === 'string' && names.has(to))) return []
    return [problemAt(at, 'UNKNOWN_REFERENCE', 'must be the name of an element of the flow')]
  })
  const missing = (element.required?.(config as Config) ?? []).filter((name) => typeof connectors?.[name] !== 'string')
  return [...problems, ...missing.map((name) => problemAt(`${own}.${name}`, 'REQUIRED', 'is required'))]
}

/** Elements that no way leads to. */
function unreachable({ startElement, elements }: Definition): FieldProblem[] {
  if (startElement === null || elements.length === 0) return []
  const byName = new Map(elements.map((element) => [element.name, element]))
  const reached = new Set([startElement])
  for (const name of reached) for (const [, to] of waysOf(byName.get(name)!)) reached.add(to)
  return elements.flatMap(({ name }, index) =>
    reached.has(name)
      ? []
      : [problemAt(`elements.${index}.name`, 'NOT_REACHABLE', 'must be an element that another one leads to')],
  )
}

/** What is wrong with the settings of an element. */
async function elementProblems(
  ctx: RequestContext,
  flow: Definition,
  { type, config }: FlowElement,
  path: string,
): Promise<FieldProblem[]> {
  const own = `${path}.config`
  const validate = validatorOf(type)
  if (!validate(config)) return [schemaProblem(validate.errors![0]!, own)]
  const element = elementTypeOf(type)
  const { raw = [] } = element
  const filled = Object.fromEntries(Object.entries(config as Config).filter(([name]) => !raw.includes(name)))
  const problems = mappingProblems(filled, own)
  if (type === 'SCREEN' && flow.type === 'AUTOLAUNCHED')
    problems.push(problemAt(`${path}.type`, 'NOT_ALLOWED', 'must not be SCREEN in a flow of the type AUTOLAUNCHED'))
  if (problems.length > 0) return problems
  return (await element.problems?.({ ctx, config: config as Config, path: own, flow })) ?? []
}

/** What is wrong with the variables and elements of a flow: with each of them, and with how they follow each other. */
export async function definitionProblems(ctx: RequestContext, flow: Definition): Promise<FieldProblem[]> {
  const { variables, elements, startElement } = flow
  if (JSON.stringify([variables, elements]).length > definitionCharactersMax)
    return [
      problemAt(
        'elements',
        'TOO_LONG',
        `must have at most ${definitionCharactersMax} characters as JSON, with variables`,
      ),
    ]
  const problems = [...nameProblems(flow), ...variableProblems(flow)]
  const names = new Set(elements.map(({ name }) => name))
  if (startElement !== null && !names.has(startElement))
    problems.push(problemAt('startElement', 'UNKNOWN_REFERENCE', 'must be the name of an element of the flow'))
  if (problems.length > 0) return problems
  for (const [index, element] of elements.entries()) {
    const path = `elements.${index}`
    const own = await elementProblems(ctx, flow, element, path)
    problems.push(...own, ...(own.length > 0 ? [] : connectorProblems(element, path, names)))
  }
  return problems.length > 0 ? problems : unreachable(flow)
}

/** The types of records that a flow names, by their paths. The settings may not be checked yet. */
export const namedTypes = ({ elements }: Pick<Flow, 'elements'>): NamedTypes =>
  elements.flatMap(({ config }, index) => {
    if (!isJsonObject(config)) return []
    const path = `elements.${index}.config`
    const fields = Array.isArray(config['fields']) ? (config['fields'] as unknown[]) : []
    return [
      ...(typeof config['object'] === 'string' ? [[`${path}.object`, config['object']] as const] : []),
      ...fields.flatMap((field, at) =>
        isJsonObject(field) && typeof field['object'] === 'string'
          ? [[`${path}.fields.${at}.object`, field['object']] as const]
          : [],
      ),
    ]
  })

/** The flows that elements run, by their paths. */
export const subflowsOf = ({ elements }: Pick<Flow, 'elements'>): (readonly [path: string, apiName: string])[] =>
  elements.flatMap(({ type, config }, index) =>
    type === 'SUBFLOW' && isJsonObject(config) && typeof config['flowApiName'] === 'string'
      ? [[`elements.${index}.config.flowApiName`, config['flowApiName']] as const]
      : [],
  )

/** With the latest definitions if the flow names a custom object that this process does not know: another may have created it a moment ago. */
export async function knowingNamed(ctx: RequestContext, flow: Pick<Flow, 'elements'>): Promise<RequestContext> {
  const isUnknown = ([, type]: NamedTypes[number]): boolean => {
    const object = objectNamed(type)
    return object !== null && shapeIn(ctx.shapes, object) === null
  }
  return namedTypes(flow).some(isUnknown) ? withLatestExtensions(ctx) : ctx
}

export const isDefinedOtherwise = (next: Partial<Flow>, previous: Flow | null): boolean =>
  !previous ||
  (['type', 'variables', 'startElement', 'elements'] as const).some(
    (name) => next[name] !== undefined && !isSameValue(next[name], previous[name]),
  )

/** What is wrong with a flow. What has not changed is not looked at again: what it names may have been deleted since. */
export async function flowProblems(ctx: RequestContext, next: Flow, previous: Flow | null): Promise<FieldProblem[]> {
  if (!previous && !apiNamePattern.test(next.apiName)) {
    const rule = 'must be 2 to 48 lower-case letters, digits and underscores, and begin with a letter'
    return [problemAt('apiName', 'WRONG_FORMAT', rule)]
  }
  if (next.status === 'ACTIVE' && next.startElement === null)
    return [problemAt('startElement', 'REQUIRED', 'must be given while the flow is ACTIVE')]
  if (next.deletedAt !== null || !isDefinedOtherwise(next, previous)) return []
  return definitionProblems(await knowingNamed(ctx, next), next)
}

/** Whoever decides what a flow does needs the scope of each record element, although interviews act with the scopes of those who run them. */
export function requireScopesOfFlow(
  { caller }: RequestContext,
  ...flows: readonly Partial<Pick<Flow, 'elements'>>[]
): void {
  const scopes = flows.flatMap(({ elements }) =>
    (elements ?? []).flatMap(({ type, config }) => (isJsonObject(config) ? elementTypeOf(type).scopes(config) : [])),
  )
  requireActingScopes(caller, scopes)
}
