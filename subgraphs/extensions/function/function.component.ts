import {
  phases,
  type ComponentPlan,
  type ComponentProblem,
  type ComponentStep,
  type FilePlace,
  type MetadataComponent,
  type MetadataContext,
  type SourceFile,
  type StoredComponent,
  type WantedComponent,
} from '../../kernel/metadata/component.ts'
import { decodedName, encodedName } from '../../kernel/metadata/file-name.ts'
import { digestOf } from '../../kernel/metadata/file-digest.ts'
import { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { liveRows } from '../../kernel/metadata/live-rows.ts'
import { ColumnMapping } from '../../kernel/metadata/record-component.ts'
import { isDeployedByItsApp, requireOwnPart } from '../../kernel/record/managed-by.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { apiNamePattern, functionsMax, scopePattern, secretsMax, sourceMax, upperNamePattern } from './bounds.ts'
import { functionTestSchema } from '../function-test/function-test.schema.ts'
import { replaceTests, type StoredTest } from '../function-test/stored-tests.ts'
import { sourceOfTest, testNameOf, testProblems, testsAmong } from '../function-test/test-files.ts'
import { createFunction, deleteFunction, updateFunction } from './function.actions.ts'
import type { FunctionLanguage } from './function.enumerations.ts'
import { serverlessFunction } from './function.record.ts'
import { settingsProblems } from './function.rules.ts'
import { ServerlessFunction } from './function.ts'
import { storedSources, type DeployedSource } from './stored-sources.ts'
import { compileCall, createVersion } from './version.actions.ts'

const folder = 'functions'
const settingsFile = 'function.json'

const languageOfFile: Readonly<Record<string, FunctionLanguage>> = {
  'index.ts': 'typescript',
  'index.js': 'javascript',
}
const fileOfLanguage: Readonly<Record<FunctionLanguage, string>> = { typescript: 'index.ts', javascript: 'index.js' }

const mapping = new ColumnMapping(ServerlessFunction, {
  apiName: { rules: { pattern: apiNamePattern.source } },
  name: {},
  description: {},
  language: {
    fallback: null,
    description: 'Language of the source; without it that of the file with the source.',
  },
  envVars: { rules: { type: 'object', additionalProperties: { type: 'string' } } },
  timeoutMs: {},
  memoryMb: {},
  allowedHosts: {},
  scopes: { rules: { items: { type: 'string', maxLength: 64, pattern: scopePattern.source } } },
  httpEnabled: {},
  eventTypes: {},
  schedule: {},
  runAsAdmin: {},
  secrets: {
    column: 'requiredSecrets',
    rules: { items: { type: 'string', pattern: upperNamePattern.source }, maxItems: secretsMax },
    description:
      'Names of the secrets that the function needs. Their values never leave an organization; a deployment names those that are missing.',
  },
})

type Values = Readonly<Record<string, unknown>>

interface StoredFunction extends StoredComponent {
  readonly row: ServerlessFunction
  readonly language: FunctionLanguage | null
}

const sourceOf = ({ sources }: Pick<WantedComponent, 'sources'>) =>
  Object.entries(sources).flatMap(([file, text]) => {
    const language = languageOfFile[file]
    return language ? [{ file, text, language }] : []
  })[0] ?? null

const union = (...lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())].toSorted()

function sourceProblems({ content, sources }: WantedComponent): ComponentProblem[] {
  const problem = (code: string, message: string): ComponentProblem[] => [{ path: 'language', code, message }]
  if (Object.keys(sources).filter((file) => file in languageOfFile).length > 1)
    return problem('NOT_TOGETHER', 'A function must have either index.ts or index.js.')
  const source = sourceOf({ sources })
  if (!source) return []
  if (content['language'] && content['language'] !== source.language)
    return problem('NOT_ALLOWED', `language must be ${source.language}, because the source is in ${source.file}.`)
  if (source.text.trim() === '') return problem('EMPTY', `${source.file} must not be empty.`)
  return [...source.text].length > sourceMax
    ? problem('TOO_LONG', `${source.file} must have at most ${sourceMax} characters.`)
    : []
}

function storedFunction(
  row: ServerlessFunction,
  deployed: DeployedSource | undefined,
  tests: readonly StoredTest[],
): StoredFunction {
  const language = deployed?.language ?? null
  const secrets = secretsOf(row)
  const values = { ...row, language: language ?? row.language, requiredSecrets: secrets }
  const sources: Record<string, SourceFile> = {
    ...(deployed && { [fileOfLanguage[deployed.language]]: { sha256: deployed.sha256, text: deployed.source } }),
    ...Object.fromEntries(tests.map(({ name, sha256, text }) => [sourceOfTest(name), { sha256, text }])),
  }
  const omitted = mapping.omittedOf(row as unknown as Values)
  return {
    name: row.apiName,
    content: mapping.contentOf(values),
    sources,
    omitted,
    row,
    language,
    managedBy: row.managedBy,
  }
}

/** A function as its files would make it. */
export interface FunctionAsWanted {
  readonly next: ServerlessFunction
  /** As it is; null for a new one. */
  readonly previous: ServerlessFunction | null
  /** A source that is not the deployed one; null if that stays. */
  readonly source: { readonly text: string; readonly language: FunctionLanguage; readonly file: string } | null
  readonly secretNames: readonly string[]
}

/** A function as its files say, without them as it is. A new one acts as who deploys it. */
export function functionAsWanted(
  wanted: WantedComponent | null,
  stored: StoredComponent | null,
  deployedById: string,
): FunctionAsWanted {
  const { row: previous = null, ...before } = (stored ?? {}) as Partial<StoredFunction>
  if (!wanted) return { next: previous!, previous, source: null, secretNames: secretsOf(previous!) }
  const {
    requiredSecrets,
    language: _language,
    ...values
  } = mapping.valuesOf({ ...wanted.content, apiName: wanted.name })
  const source = sourceOf(wanted)
  const isSame = source !== null && isDeployedSource(before, source)
  const next = { runAsUserId: deployedById, ...previous, ...values } as ServerlessFunction
  const secretNames = union(requiredSecrets as string[], previous?.secretNames ?? [])
  return { next, previous, source: isSame ? null : source, secretNames }
}

/** What is wrong with the settings of a function, besides what the schema says, at the places in its file. */
export const problemsOfSettings = ({ next, previous }: FunctionAsWanted): ComponentProblem[] =>
  settingsProblems(next, previous).map((one) => ({ ...one, ...mapping.placeOf(one.path) }))

const secretsOf = ({ requiredSecrets, secretNames }: ServerlessFunction): string[] =>
  union(requiredSecrets, secretNames)

const isDeployedSource = (
  { language, sources }: Partial<Pick<StoredFunction, 'language' | 'sources'>>,
  source: NonNullable<ReturnType<typeof sourceOf>>,
): boolean => language === source.language && sources?.[source.file]?.sha256 === digestOf(source.text)

/** Whether a function has exactly these tests. */
function hasTests({ sources = {} }: StoredFunction, tests: Readonly<Record<string, string>>): boolean {
  const stored = Object.keys(sources).filter((source) => testNameOf(source) !== null)
  const names = Object.keys(tests)
  return (
    stored.length === names.length &&
    names.every((name) => sources[sourceOfTest(name)]?.sha256 === digestOf(tests[name]!))
  )
}

function planOf(ctx: RequestContext, wanted: WantedComponent, stored: StoredFunction | null): ComponentPlan {
  const { content } = wanted
  const source = sourceOf(wanted)
  const tests = testsAmong(wanted.sources)
  const { language: given, requiredSecrets, ...values } = mapping.valuesOf({ ...content, apiName: wanted.name })
  const language = source?.language ?? (given as FunctionLanguage)
  const secrets = requiredSecrets as string[]
  const step: Omit<ComponentStep, 'run'> = {
    phase: phases.functions,
    provides: [`function ${wanted.name}`],
    needs: [],
    placeOf: (path, code) =>
      source && (path === 'source' || code === 'COMPILE_ERROR')
        ? { path: '', source: source.file }
        : mapping.placeOf(path),
  }
  const calls = source ? [compileCall(source.text, source.language)] : []
  if (!stored) {
    const input = { ...values, language, ...(source && { source: source.text }) }
    const run = async (ctx: MetadataContext): Promise<void> => {
      const id = await createFunction(ctx, input, { requiredSecrets: secrets })
      if (Object.keys(tests).length > 0) await replaceTests(ctx, id, tests)
    }
    return { change: 'CREATED', steps: [{ ...step, run }], calls, missingSecrets: secrets }
  }
  const { row } = stored
  const changes = mapping.changesOf(values, row as unknown as Values)
  const known = [row.requiredSecrets.toSorted(), union(row.requiredSecrets, row.secretNames)]
  const isDeclared = known.some((one) => isSameValue(one, union(secrets)))
  const isSourceNew = source !== null && !isDeployedSource(stored, source)
  const missingSecrets = secrets.filter((name) => !row.secretNames.includes(name))
  const areTestsNew = !hasTests(stored, tests)
  const run = async (inner: MetadataContext): Promise<void> => {
    const besides = isDeclared ? {} : { requiredSecrets: secrets }
    await updateFunction(inner, row.id, changes, row.version, besides)
    if (isSourceNew)
      await createVersion(inner, row.id, { source: source.text, language: source.language, note: null, deploy: true })
    if (areTestsNew) {
      requireOwnPart(inner, serverlessFunction, row)
      await replaceTests(inner, row.id, tests)
    }
  }
  if (Object.keys(changes).length === 0 && isDeclared && !isSourceNew && !areTestsNew)
    return { change: 'UNCHANGED', steps: isDeployedByItsApp(ctx, row) ? [{ ...step, run }] : [], missingSecrets }
  return { change: 'UPDATED', steps: [{ ...step, run }], calls: isSourceNew ? calls : [], missingSecrets }
}

const noun = 'function'

export const functionComponent: MetadataComponent = {
  type: 'FUNCTION',
  noun,
  max: functionsMax,
  schema: new FileSchema({
    title: noun,
    description:
      'A serverless function: functions/<apiName>/function.json, with its source in index.ts or index.js beside it, and its tests in tests/<name>.json. It acts as the user who deploys it first.',
    properties: mapping.schemas,
    required: ['name'],
  }),
  nameOf: ({ apiName }) => (typeof apiName === 'string' ? apiName : null),
  pathOf: (name) => `${folder}/${encodedName(name)}/${settingsFile}`,
  sourcePathOf: (name, source) => `${folder}/${encodedName(name)}/${source}`,
  placeOf(path): FilePlace | null {
    const [first, name, ...others] = path.split('/')
    const file = others.join('/')
    if (first !== folder || !name || others.length > 2) return null
    if (file !== settingsFile && !Object.hasOwn(languageOfFile, file) && testNameOf(file) === null) return null
    const decoded = decodedName(name)
    return decoded === null ? null : { name: decoded, source: file === settingsFile ? null : file }
  },
  sourceSchemaOf: (source) => (testNameOf(source) === null ? null : functionTestSchema),
  problemsOf: (wanted) => [...sourceProblems(wanted), ...testProblems(wanted)],
  async list(ctx, { hasTexts }) {
    const rows = await liveRows(ctx, serverlessFunction)
    const ids = rows.map(({ id }) => id)
    const sources = await storedSources(ctx, ids, hasTexts)
    const deployed = new Map(sources.deployed.map((one) => [one.functionId, one]))
    const tests = Map.groupBy(sources.tests, ({ functionId }) => functionId)
    return new Map(rows.map((row) => [row.apiName, storedFunction(row, deployed.get(row.id), tests.get(row.id) ?? [])]))
  },
  plan: (ctx, wanted, stored) => planOf(ctx, wanted, stored as StoredFunction | null),
  removal: (stored) => {
    const { row } = stored as StoredFunction
    return {
      phase: phases.functions,
      provides: [`function ${row.apiName}`],
      needs: [],
      run: (ctx) => deleteFunction(ctx, row.id, row.version),
    }
  },
}
