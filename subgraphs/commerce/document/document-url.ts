/** The path of the PDF of a record, for `calculated` of its definition. */
export const documentUrl = (area: string, { id }: { readonly id: string }): string => `/v1/${area}/${id}/document`

/** The SQL of the column of this path. It is `stored`, because PostgreSQL before 18 has no virtual columns; databases of former releases have a virtual one, which reads the same. */
export const documentUrlColumn = (area: string): string =>
  `document_url text generated always as ('/v1/${area}/' || id::text || '/document') stored`

/** The options of the property `documentUrl` of a record. */
export const documentUrlOptions = (area: string, object: string) =>
  ({
    computed: true,
    writable: 'NEVER',
    description: `Path of the PDF of the ${object} on this server, for requests with the same credentials.`,
    example: `/v1/${area}/019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26/document`,
  }) as const
