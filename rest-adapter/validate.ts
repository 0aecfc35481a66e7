import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { OpenAPIBackend, type Document, type Operation } from 'openapi-backend'
import { parseEmail } from '../subgraphs/kernel/values/email-address.ts'
import type { FieldProblem, Refusal } from '../subgraphs/kernel/errors.ts'
import { withNearestNumbers } from '../subgraphs/kernel/json/exact-json.ts'
import { isJsonObject } from '../subgraphs/kernel/json/exact-number.ts'
import { isId } from '../subgraphs/kernel/ids.ts'
import { normalizeTimestamp } from '../subgraphs/kernel/record/scalars.ts'
import { refusalOf, invalidValuesIn } from './body.ts'
import type { Contract } from './contract.ts'
import { typesOf, type OpenApiDocument, type PathItem } from './openapi.ts'
import type { RestOperation } from './rest-operation.ts'
import { problemOf } from './problem-of.ts'
import { isObjectParameter, reader, isAnyVersion, isVersionMatch, variableOf, type Values } from './translate.ts'

// The package is CommonJS, but its types declare a default export.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

/** The parts of a request that are validated: the query is already typed, the body already parsed. */
export interface ValidatedParts {
  readonly url: string
  readonly query: Values
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

/** Errors of ajv that are examined. Fewer are reported, because only the first error of each path is. */
const errorsMax = 1_000
/** About as many errors of ajv as the package can return. */
const foundMax = 100_000

const validators = new WeakMap<Contract, Promise<Validator>>()

/** Validates requests against the OpenAPI document. The schemas of an operation are compiled with its first request. */
export class Validator {
  private readonly api: OpenAPIBackend
  private readonly operations: ReadonlyMap<string, Operation>

  private constructor(api: OpenAPIBackend) {
    this.api = api
    this.operations = new Map(api.router.getOperations().map((operation) => [operation.operationId!, operation]))
  }

  /** It depends only on the contract, so its schemas are compiled once, also if a process opens several platforms, as tests do. */
  static of(contract: Contract): Promise<Validator> {
    const known = validators.get(contract) ?? Validator.create(contract)
    validators.set(contract, known)
    return known
  }

  private static async create({ document }: Contract): Promise<Validator> {
    const ajv = ajvOf()
    const api = new OpenAPIBackend({
      definition: requestsOf(document),
      quick: true,
      customizeAjv: () => ajv as never,
    })
    await api.init()
    return new Validator(api)
  }

  /** Throws a refusal that lists every problem of the request. */
  check(
    { id, method, parameters, body: described }: RestOperation,
    { url, query, headers, body }: ValidatedParts,
  ): void {
    if (described && !isJsonObject(body) && body !== undefined) {
      throw refusalOf([{ path: '', code: 'WRONG_TYPE', message: 'The body must be a JSON object.' }])
    }
    const notJson = parameters.filter((parameter) => isObjectParameter(parameter) && isText(query[parameter.name]))
    if (notJson.length > 0) throw refusalOf(notJson.map(({ name }) => notJsonProblem(name)))
    const invalidValues = invalidValuesIn(query)
    if (invalidValues.length > 0) throw refusalOf(invalidValues)
    const headerValues: Record<string, unknown> = {}
    for (const parameter of parameters) {
      if (parameter.in !== 'header' || variableOf(parameter) === null) continue
      const value = headers[parameter.name.toLowerCase()]
      const isNumber = typeof value === 'string' && typesOf(parameter.schema ?? {}).includes('integer')
      if (value !== undefined)
        headerValues[parameter.name.toLowerCase()] = isNumber ? reader(parameter.schema!)(value) : value
    }
    // Exact numbers are validated as the nearest doubles; the subgraph checks their bounds again with the exact digits.
    const [nearest, nearestQuery] = [withNearestNumbers(body), withNearestNumbers(query) as Record<string, string>]
    const errors = parameters.some(isParsedByPackage)
      ? this.errorsOf(
          {
            method,
            path: url.split('?', 1)[0]!,
            query: nearestQuery,
            headers: headerValues as Record<string, string>,
            body: nearest,
          },
          id,
        )
      : this.errorsOfParts(id, nearestQuery, headerValues, nearest)
    if (errors?.length) throw refusalOf(distinct(errors.slice(0, errorsMax).filter(isOfOneAlternative).map(problemOf)))
  }

  /**
   * The errors of a request whose parts are parsed. The package would parse the whole request again before it calls its compiled functions,
   * which takes longer than the functions themselves.
   */
  private errorsOfParts(id: string, query: object, header: object, requestBody: unknown): ErrorObject[] {
    const compiled = this.api.validator.getRequestValidatorsForOperation(id) ?? []
    const request = { path: {}, query, header, cookie: {}, ...(requestBody !== undefined && { requestBody }) }
    const errors = compiled.flatMap((validate) => (validate(request) ? [] : ((validate.errors ?? []) as ErrorObject[])))
    if (errors.length > foundMax) throw tooManyProblems()
    return errors
  }

  private errorsOf(request: Parameters<OpenAPIBackend['validator']['validateRequest']>[0], id: string) {
    try {
      return this.api.validator.validateRequest(request, this.operations.get(id)).errors as ErrorObject[] | null
    } catch (thrown) {
      // The package passes all errors as arguments of one call, which throws RangeError if there are too many.
      if (!(thrown instanceof RangeError)) throw thrown
      throw tooManyProblems()
    }
  }
}

/** Whether the package reads the parameter from the path or the cookies of a request. */
const isParsedByPackage = (parameter: RestOperation['parameters'][number]): boolean =>
  parameter.in === 'path' || parameter.in === 'cookie'

/** The text of an object that is not JSON was not converted. */
const isText = (value: unknown): boolean => typeof value === 'string'

const notJsonProblem = (path: string): FieldProblem => ({
  path,
  code: 'INVALID_JSON',
  message: `${path} must be a JSON object, or be written as ${path}[name]=value.`,
})

/**
 * A value that may be null is described by two alternatives. What is wrong with it is the problem of the other alternative, not that
 * it is not null.
 */
const isOfOneAlternative = ({ keyword, schemaPath, params }: ErrorObject): boolean =>
  keyword !== 'anyOf' && !(params['type'] === 'null' && /\/anyOf\/\d+\/type$/.test(schemaPath))

/**
 * A copy of what the validation of requests reads: neither responses nor texts for people, which are most of the document. The package
 * keeps it twice, and resolves references in place.
 */
function requestsOf({ openapi, info, paths, components }: OpenApiDocument): Document {
  const items = Object.entries(paths).map(([path, item]) => [path, withoutResponses(item)])
  const { schemas, parameters } = components
  const read = { openapi, info, paths: Object.fromEntries(items) as object, components: { schemas, parameters } }
  const withoutText = (key: string, value: unknown) =>
    (key === 'description' || key === 'summary') && typeof value === 'string' ? undefined : value
  return JSON.parse(JSON.stringify(read, withoutText)) as Document
}

const withoutResponses = (item: PathItem): object =>
  Object.fromEntries(
    Object.entries(item).map(([key, part]) => [key, Array.isArray(part) ? part : { ...part, responses: {} }]),
  )

function ajvOf(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true })
  addFormats(ajv)
  ajv.addFormat('uuid', isId)
  ajv.addFormat('date-time', (text: string) => normalizeTimestamp(text) !== null)
  ajv.addFormat('etag', isVersionMatch)
  ajv.addFormat('any-etag', isAnyVersion)
  ajv.addFormat('email', (text: string) => parseEmail(text) !== null)
  return ajv
}

/** Only the first problem of each path is reported. */
function distinct(problems: readonly FieldProblem[]): FieldProblem[] {
  const known = new Set<string>()
  return problems.filter(({ path }) => !known.has(path) && known.add(path))
}

const tooManyProblems = (): Refusal =>
  refusalOf([
    { path: '', code: 'TOO_MANY', message: 'The body has too many problems to list them; correct it and try again.' },
  ])

export const bodyRequired = (): Refusal =>
  refusalOf([{ path: '', code: 'REQUIRED', message: 'A JSON body is required; send it as application/json.' }])
