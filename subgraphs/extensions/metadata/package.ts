import type { FieldProblem } from '../../kernel/errors.ts'
import { metadataComponents, type Content, type MetadataComponent } from '../../kernel/metadata/component.ts'
import type { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { problemsMax } from './bounds.ts'
import type { MetadataType } from './metadata-type.ts'
import { contentOfFile } from './parse-file.ts'
import {
  besideSource,
  defaultSourceFolder,
  deletionFile,
  deletionSchema,
  projectFile,
  projectSchema,
} from './project-file.ts'
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

export interface ComponentKey {
  readonly type: string
  readonly name: string
}

export const keyOf = ({ type, name }: ComponentKey): string => `${type} ${name}`

/** The components of a package, with those that are parts of the files of others. */
export const componentsIn = ({ components }: Pick<Package, 'components'>): ComponentKey[] =>
  components.flatMap(({ component, name, content }) => [
    { type: component.type, name },
    ...(component.partsIn?.(content) ?? []),
  ])

/** Reads the files of a project, and checks them as far as they alone say. */
export async function readPackage(files: SourceFiles, organizationId: string): Promise<Package> {
  const problems: FileProblem[] = []
  const read = (file: string, schema: FileSchema): Content | null => {
    const result = contentOfFile(files.get(file)!, schema)
    if (!('problems' in result)) return result.content
    problems.push(...result.problems.map((one) => ({ file, ...one })))
    return null
  }
  const project = files.has(projectFile) ? read(projectFile, projectSchema) : null
  const root = rootOf(files, project)
  const grouped = new Map<string, Grouped>()
  for (const file of [...files.keys()].toSorted()) {
    if (!file.startsWith(root) || besideSource.has(file)) continue
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
  const components = [...files.keys()].filter((file) => !besideSource.has(file))
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
