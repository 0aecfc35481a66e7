import type { FieldProblem, Refusal } from '../../kernel/errors.ts'
import type { ComponentStep } from '../../kernel/metadata/component.ts'
import type { MetadataProblem } from './deployment.types.ts'

/** The files of a component: that with its settings, and the folder of the others. */
export interface ComponentPlace {
  readonly file: string
  readonly folder: string
  readonly placeOf?: ComponentStep['placeOf']
}

/** What a refusal says, with the places in the files of the component. */
export function problemsAt(
  { file, folder, placeOf = (path) => ({ path }) }: ComponentPlace,
  error: Refusal,
): Partial<MetadataProblem>[] {
  const {
    errors,
    usedBy = null,
    line = null,
    column = null,
  } = error.extensions as {
    readonly errors?: readonly FieldProblem[]
    readonly usedBy?: unknown
    readonly line?: number
    readonly column?: number
  }
  const all = errors?.length ? errors : [{ path: '', code: error.code, message: error.message }]
  return all.map(({ path, code, message }) => {
    const place = placeOf(path, code)
    // Messages begin with the path in the record.
    const text = path !== '' && message.startsWith(`${path} `) ? `${place.path}${message.slice(path.length)}` : message
    return {
      file: place.source === undefined ? file : `${folder}${place.source}`,
      path: place.path,
      line,
      column,
      code,
      message: text,
      usedBy,
    }
  })
}

export const asProblem = ({
  file = null,
  path = '',
  line = null,
  column = null,
  code = 'INVALID',
  message = '',
  usedBy = null,
}: Partial<MetadataProblem>): MetadataProblem => ({ file, path, line, column, code, message, usedBy })
