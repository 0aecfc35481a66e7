import type { FieldProblem } from '../../kernel/errors.ts'
import { parseJsonExactly, TooManyInexact, inexactMax } from '../../kernel/json/exact-json.ts'
import { metadataComponents, type Content, type MetadataComponent } from '../../kernel/metadata/component.ts'
import type { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { depthMax, problemsMax } from './bounds.ts'
import type { MetadataType } from './metadata-type.ts'
import { defaultSourceFolder, deletionFile, deletionSchema, projectFile, projectSchema } from './project-file.ts'
import type { SourceFiles } from './source-files.ts'

/** What is wrong with a file. */
export interface FileProblem extends FieldProblem {
  readonly file: string
}

/** A component as its files say. */
export interface PackagedComponent {
  readonly component: MetadataComponent
  readonly name: string
  /** The path of its file in the project. */
  readonly file: string
  /** The folder with its file and the others. */
  readonly folder: string
  readonly content: Content
  readonly sources: Readonly<Record<string, string>>
}

export interface Deletion {
  readonly type: MetadataType
  readonly name: string
  readonly force: boolean
  readonly path: string
}

/** What a project says. With problems, nothing of it is carried out. */
export interface Package {
  readonly components: readonly PackagedComponent[]
  readonly deletions: readonly Deletion[]
  readonly deletionFile: string
  readonly problems: readonly FileProblem[]
}

/** Whether JSON text nests deeper than a file may, before it is parsed. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++
    } else if (sign === 0x7b || sign === 0x5b) {
      if (++depth > depthMax) return true
    } else if (sign === 0x7d || sign === 0x5d) depth--
  }
  return false
}

type Parsed = { readonly content: unknown } | { readonly problem: FieldProblem }

function parsed(text: string): Parsed {
  const refused = (code: string, message: string): Parsed => ({ problem: { path: '', code, message } })
  if (isTooDeep(text))
    return refused('TOO_DEEP', `The file must nest objects and lists at most ${depthMax} levels deep.`)
  try {
    const content = parseJsonExactly(text, inexactMax)
    const flaw = flawOf(content)
    return flaw ? refused(...flaw) : { content }
  } catch (error) {
    if (error instanceof TooManyInexact)
      return refused('TOO_MANY', `The file must have at most ${inexactMax} numbers that double precision would round.`)
    const reason = error instanceof Error ? error.message : ''
    return refused('INVALID_JSON', `The file must be valid JSON: ${reason.slice(0, 200)}`)
  }
}

/** What PostgreSQL does not store, or objects cannot have, anywhere in the content. */
function flawOf(content: unknown): readonly [code: string, message: string] | null {
  const waiting = [content]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === 'string' && !isStorable(value)) return notText
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) for (const item of value as unknown[]) waiting.push(item)
    else
      for (const [name, member] of Object.entries(value)) {
        if (name === '__proto__') return ['NOT_ALLOWED', 'A property must not be named __proto__.']
        if (!isStorable(name)) return notText
        waiting.push(member)
      }
  }
  return null
}

const notText = ['NOT_TEXT', 'The file must not contain a NUL character or an unpaired surrogate.'] as const

/** Reads the files of a project, and checks them as far as they alone say. */
export async function readPackage(files: SourceFiles, organizationId: string): Promise<Package> {
  const problems: FileProblem[] = []
  const read = (file: string, schema: FileSchema): Content | null => {
    const result = parsed(files.get(file)!)
    const found: readonly FieldProblem[] = 'problem' in result ? [result.problem] : schema.problems(result.content)
    problems.push(...found.map((one) => ({ file, ...one })))
    return found.length > 0 || 'problem' in result ? null : (result.content as Content)
  }
  const project = files.has(projectFile) ? read(projectFile, projectSchema) : null
  const root = rootOf(files, project)
  const grouped = new Map<string, Grouped>()
  for (const file of [...files.keys()].toSorted()) {
    if (!file.startsWith(root) || file === projectFile || file === deletionFile) continue
    const found = placeOf(file.slice(root.length))
    if ('problem' in found) problems.push({ file, path: '', code: found.problem.code, message: found.problem.message })
    else group(grouped, found, file, files, problems)
  }
  const components: PackagedComponent[] = []
  for (const one of grouped.values()) {
    if (isTurnOver()) await nextTurn(organizationId)
    const packaged = componentOf(one, read, problems)
    if (packaged) components.push(packaged)
    if (problems.length >= problemsMax) break
  }
  const deletions = files.has(deletionFile) ? deletionsIn(read(deletionFile, deletionSchema)) : []
  return { components, deletions, deletionFile, problems }
}

/** The folder with the components, with a slash at its end. Files without a project file may be sent with or without their folder. */
function rootOf(files: SourceFiles, project: Content | null): string {
  if (project) {
    const { sourceDir } = project
    return `${typeof sourceDir === 'string' ? sourceDir : defaultSourceFolder}/`
  }
  const components = [...files.keys()].filter((file) => file !== projectFile && file !== deletionFile)
  const folder = `${defaultSourceFolder}/`
  return components.every((file) => file.startsWith(folder)) ? folder : ''
}

interface Grouped {
  readonly component: MetadataComponent
  readonly name: string
  file: string | null
  folder: string
  readonly sources: Record<string, string>
}

type Found =
  | { readonly component: MetadataComponent; readonly name: string; readonly source: string | null }
  | { readonly problem: Pick<FileProblem, 'code' | 'message'> }

function placeOf(path: string): Found {
  for (const component of metadataComponents()) {
    const place = component.placeOf(path)
    if (place) return { component, ...place }
  }
  const paths = metadataComponents().map((component) => component.pathOf('name').replace(/\bname\b/, '<name>'))
  const message = `No component type has files with this path; there are ${paths.join(', ')}.`
  return { problem: { code: 'WRONG_PATH', message } }
}

function group(
  grouped: Map<string, Grouped>,
  { component, name, source }: Extract<Found, { component: unknown }>,
  file: string,
  files: SourceFiles,
  problems: FileProblem[],
): void {
  const key = `${component.type} ${name}`
  const folder = file.slice(0, source === null ? file.lastIndexOf('/') + 1 : -source.length)
  let one = grouped.get(key)
  if (!one) grouped.set(key, (one = { component, name, file: null, folder, sources: {} }))
  if (source !== null) one.sources[source] = files.get(file)!
  else if (one.file === null) Object.assign(one, { file, folder })
  else problems.push({ file, path: '', code: 'NOT_UNIQUE', message: `${one.file} has the same component.` })
}

function componentOf(
  { component, name, file, folder, sources }: Grouped,
  read: (file: string, schema: FileSchema) => Content | null,
  problems: FileProblem[],
): PackagedComponent | null {
  if (file === null) {
    const missing = component.pathOf(name).split('/').at(-1)!
    const message = `The ${component.noun} must have ${missing} beside its other files.`
    problems.push({ file: `${folder}${missing}`, path: '', code: 'REQUIRED', message })
    return null
  }
  const content = read(file, component.schema)
  if (!content) return null
  const said = component.nameOf(content)?.normalize('NFC') ?? name
  if (said !== name) {
    const message = `The path of the file says that it is the ${component.noun} ${name}, and its content that it is ${said}; its path must end with ${component.pathOf(said)}.`
    problems.push({ file, path: '', code: 'WRONG_PATH', message })
    return null
  }
  const packaged = { component, name: component.nameOf(content) ?? name, file, folder, content, sources }
  const readable = Object.keys(sources).filter((source) => {
    const schema = component.sourceSchemaOf?.(source)
    return !schema || read(`${folder}${source}`, schema) !== null
  })
  const found = component.problemsOf?.(packaged) ?? []
  problems.push(
    ...found.map(({ source, ...one }) => ({ file: source === undefined ? file : `${folder}${source}`, ...one })),
  )
  return found.length > 0 || readable.length < Object.keys(sources).length ? null : packaged
}

const deletionsIn = (content: Content | null): Deletion[] =>
  ((content?.['delete'] ?? []) as readonly Partial<Deletion>[]).map(({ type, name, force = false }, index) => ({
    type: type!,
    name: name!,
    force,
    path: `delete.${index}`,
  }))
