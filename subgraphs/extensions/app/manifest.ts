import type { FieldProblem } from '../../kernel/errors.ts'
import { schemaProblems } from '../action/bounded-schema.ts'
import type { FileProblem } from '../metadata/package.ts'
import { contentOfFile } from '../metadata/parse-file.ts'
import { manifestFile } from '../metadata/project-file.ts'
import type { SourceFiles } from '../metadata/source-files.ts'
import { slotHeight } from './bounds.ts'
import { manifestSchema } from './manifest-schema.ts'

/** A place in layouts and pages that an app fills. */
export interface Slot {
  readonly key: string
  readonly label: string
  readonly url: string
  readonly objectTypes: readonly string[]
  readonly height: number
}

/** What an app says of itself. */
export interface Manifest {
  readonly slug: string
  readonly name: string
  readonly version: string
  readonly description: string | null
  readonly homepageUrl: string | null
  readonly scopes: readonly string[]
  readonly settingsSchema: Readonly<Record<string, unknown>> | null
  readonly slots: readonly Slot[]
  readonly clientId: string | null
  readonly releaseNotes: string | null
}

type GivenSlot = Omit<Slot, 'height'> & Partial<Pick<Slot, 'height'>>
type Given = Pick<Manifest, 'slug' | 'name' | 'version' | 'scopes'> &
  Partial<Omit<Manifest, 'slots'>> & { readonly slots?: readonly GivenSlot[] }

const keyProblems = (slots: readonly GivenSlot[]): FieldProblem[] =>
  slots.flatMap(({ key }, index) => {
    const path = `slots.${index}.key`
    const isKnown = slots.findIndex((slot) => slot.key === key) < index
    return isKnown ? [{ path, code: 'NOT_UNIQUE', message: `${path} must differ from those of the other slots.` }] : []
  })

type Read = { readonly manifest: Manifest } | { readonly problems: readonly FileProblem[] }

/** The manifest among the files of a project, or what is wrong with it. */
export function manifestIn(files: SourceFiles): Read {
  const refused = (problems: readonly FieldProblem[]): Read => ({
    problems: problems.map((one) => ({ file: manifestFile, ...one })),
  })
  const text = files.get(manifestFile)
  if (text === undefined) {
    const message = `The project of an app must have ${manifestFile} beside its project file.`
    return refused([{ path: '', code: 'REQUIRED', message }])
  }
  const read = contentOfFile(text, manifestSchema)
  if ('problems' in read) return refused(read.problems)
  const { slots = [], settingsSchema = null, clientId = null, ...given } = read.content as unknown as Given
  const problems = [...keyProblems(slots), ...(settingsSchema ? schemaProblems('settingsSchema', settingsSchema) : [])]
  if (problems.length > 0) return refused(problems)
  const { slug, name, version, scopes, description, homepageUrl, releaseNotes } = given
  return {
    manifest: {
      slug,
      name,
      version,
      description: description || null,
      homepageUrl: homepageUrl ?? null,
      scopes,
      settingsSchema,
      slots: slots.map(({ key, label, url, objectTypes, height = slotHeight.initial }) => ({
        key,
        label,
        url,
        objectTypes,
        height,
      })),
      clientId,
      releaseNotes: releaseNotes || null,
    },
  }
}
