export type Json = Readonly<Record<string, unknown>>

export interface EventFile {
  readonly type: string
  readonly version: number
  readonly schema: Json
  readonly sample: Json
}
