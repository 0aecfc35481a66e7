import { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { deletionsMax } from './bounds.ts'
import { MetadataType } from './metadata-type.ts'

export const projectFile = 'service.project.json'
export const deletionFile = 'destructiveChanges.json'
/** The manifest of an app, which deployments leave out: a project can be deployed while it is developed. */
export const manifestFile = 'app.json'
/** The files of a project that are no components, whatever its source folder. */
export const besideSource: ReadonlySet<string> = new Set([projectFile, deletionFile, manifestFile])
export const defaultSourceFolder = 'src'

export const projectSchema = new FileSchema({
  title: 'project file',
  description: 'The project file of a project: service.project.json.',
  properties: {
    formatVersion: { const: 1, description: 'Version of the format.' },
    name: { type: 'string', minLength: 1, maxLength: 100, description: 'Name of the project.' },
    description: { type: 'string', description: 'What the project is.' },
    sourceDir: {
      type: 'string',
      default: defaultSourceFolder,
      pattern: '^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$',
      description: 'The folder with the components, relative to the project file.',
    },
  },
  required: ['formatVersion', 'name'],
})

export const deletionSchema = new FileSchema({
  title: 'destructive changes',
  description:
    'The components that a deployment deletes: destructiveChanges.json beside the project file. A component that is merely absent stays.',
  properties: {
    delete: {
      type: 'array',
      maxItems: deletionsMax,
      description: 'The components, by their names. One that something uses is not deleted.',
      items: {
        type: 'object',
        properties: {
          type: { type: 'string', enum: Object.keys(MetadataType) },
          name: {
            type: 'string',
            minLength: 1,
            maxLength: 255,
            description: 'As in the path of its file; of a field of a custom object `custom:<object>.<name>`.',
          },
          force: {
            type: 'boolean',
            default: false,
            description:
              'Whether a custom object that has records may be deleted, and a custom field or object of which requests of the last 90 days have named a field. What the definition of another component names is never deleted, with `force` neither: change or delete that one, too.',
          },
        },
        required: ['type', 'name'],
        additionalProperties: false,
      },
    },
  },
  required: ['delete'],
})

/** The project file of retrieved components. */
export const retrievedProject = { formatVersion: 1, name: 'project', sourceDir: defaultSourceFolder }
