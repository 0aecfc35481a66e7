import type { FieldProblem } from '../errors.ts'
import type { Port, RequestContext } from '../request.ts'
import type { FileSchema } from './file-schema.ts'

// What organizations define is retrieved as files and deployed from files. Each component type says how: its resource has it as `component`.

/** The content of the file of a component: a JSON object. */
export type Content = Readonly<Record<string, unknown>>

export type MetadataContext = RequestContext<Port>

/** A file beside that with the settings of a component, such as the source of a function. Without its text where only the digest was read. */
export interface SourceFile {
  readonly sha256: string
  readonly text: string | null
}

/** A component of an organization. */
export interface StoredComponent {
  /** Its name among the components of its type: `ACCOUNT.tier`. */
  readonly name: string
  readonly content: Content
  /** Its other files, by their names in its folder. */
  readonly sources?: Readonly<Record<string, SourceFile>>
  /** Settings that the format has no property for, where they differ from those of a new component. */
  readonly omitted?: readonly string[]
  /** The component whose file has it; absent if it has a file of its own. */
  readonly partOf?: { readonly type: string; readonly name: string }
  /** The slug of the installed app that brought it; null if the organization made it. */
  readonly managedBy: string | null
}

/** A component as its files say it is to be. */
export interface WantedComponent {
  readonly name: string
  readonly content: Content
  readonly sources: Readonly<Record<string, string>>
}

/** What is wrong with the files of a component: with its settings, or with the source that is named. */
export interface ComponentProblem extends FieldProblem {
  readonly source?: string
}

export interface ValuePlace {
  readonly path: string
  readonly source?: string
}

/** A part of a change. Parts are carried out phase by phase; in one phase, after those that provide what they need. */
export interface ComponentStep {
  readonly phase: number
  /** What other steps may need, as words: `field account.tier`. */
  readonly provides: readonly string[]
  /** What is provided by no step is there already, or nowhere. */
  readonly needs: readonly string[]
  /** Where a refused value is in the file, or in another file of the component. */
  readonly placeOf?: (path: string, code: string) => ValuePlace
  readonly run: (ctx: MetadataContext) => Promise<unknown>
}

/** A call that must be made before the transaction begins; see `externalCall`. */
export interface PreparedCall {
  readonly key: string
  readonly call: (ctx: MetadataContext) => Promise<unknown>
}

export interface ComponentPlan {
  readonly change: 'CREATED' | 'UPDATED' | 'UNCHANGED'
  readonly steps: readonly ComponentStep[]
  readonly calls?: readonly PreparedCall[]
  /** Names of secrets that the component needs and the organization does not have. */
  readonly missingSecrets?: readonly string[]
  /** What an administrator has to do after it, as sentences. */
  readonly warnings?: readonly string[]
}

/** What a file below the source folder belongs to: the settings of a component, or one of its other files. */
export interface FilePlace {
  readonly name: string
  readonly source: string | null
}

/** A component type of the metadata format. */
export interface MetadataComponent {
  /** `CUSTOM_FIELD`. */
  readonly type: string
  /** `custom field`. */
  readonly noun: string
  readonly schema: FileSchema
  /** How many of them an organization has at most, where each costs work before it can be refused. */
  readonly max?: number
  /** The path of its file below the source folder. */
  pathOf(name: string): string
  /** The path of one of its other files. */
  sourcePathOf?(name: string, source: string): string
  /** What a path below the source folder is for; null if it is of another type. */
  placeOf(path: string): FilePlace | null
  /** The name that the content says; null if it says none, so that the path does. */
  nameOf(content: Content): string | null
  /** The components of other types whose definitions are in its file. */
  partsIn?(content: Content): readonly { readonly type: string; readonly name: string }[]
  /** The schema of one of its other files; null for a file that is no JSON. */
  sourceSchemaOf?(source: string): FileSchema | null
  /** What is wrong with the files of one component, besides what the schemas say. */
  problemsOf?(wanted: WantedComponent): readonly ComponentProblem[]
  /** All components of the organization, by name; those without texts have the digests of their other files only. */
  list(ctx: RequestContext, options: { readonly hasTexts: boolean }): Promise<ReadonlyMap<string, StoredComponent>>
  /** How the component becomes what the files say. */
  plan(ctx: RequestContext, wanted: WantedComponent, stored: StoredComponent | null): ComponentPlan
  /** How the component is deleted. It is refused while something uses it; `isForced`: also if it has records. */
  removal(stored: StoredComponent, isForced: boolean): ComponentStep
}

const components = new Map<string, MetadataComponent>()

/** The composition root calls it once, with the component types of all subgraphs. */
export function registerMetadataComponents(given: Iterable<MetadataComponent>): void {
  for (const component of given) components.set(component.type, component)
}

export const metadataComponents = (): readonly MetadataComponent[] => [...components.values()]

export const metadataComponent = (type: string): MetadataComponent | null => components.get(type) ?? null

/** The order of the phases of a deployment: what others name comes before them. Deletions run in the opposite order. */
export const phases = {
  objects: 10,
  fields: 20,
  nameFields: 30,
  events: 40,
  credentials: 45,
  functions: 50,
  actions: 60,
  rules: 70,
  hooks: 75,
  workflows: 80,
  layouts: 85,
} as const
