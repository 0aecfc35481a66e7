import { enumeration } from '../../kernel/record/column.ts'

export const DocumentFormat = enumeration('KnowledgeDocumentFormat', 'Format of a document.', {
  TEXT: 'Plain text; the ending `.txt`.',
  MARKDOWN: 'Markdown; the ending `.md`.',
  CSV: 'Comma-separated values with the names of the columns in the first row; the ending `.csv`.',
  HTML: 'A web page; the ending `.html`.',
  PDF: 'PDF; pictures of text are not read.',
  DOCX: 'A document of Word.',
})
export type DocumentFormat = keyof typeof DocumentFormat

export const DocumentStatus = enumeration('KnowledgeDocumentStatus', 'Whether a document can be searched.', {
  UPLOADING: 'Its file has not arrived. It is deleted after a day.',
  PROCESSING: 'Its text is being read.',
  READY: 'It can be searched.',
  FAILED: 'Its text cannot be read; `failureCode` says why.',
})
export type DocumentStatus = keyof typeof DocumentStatus

export const DocumentFailure = enumeration('KnowledgeDocumentFailure', 'Why the text of a document cannot be read.', {
  UNREADABLE: 'The file is not of the format, or is damaged.',
  ENCRYPTED: 'It needs a password.',
  TOO_LARGE: 'It has too many pages or too much text.',
  TOO_COMPLEX: 'Reading it takes too much time or memory.',
  EMPTY: 'It contains no text.',
  INTERRUPTED: 'Processes that read it ended repeatedly.',
})
export type DocumentFailure = keyof typeof DocumentFailure

export const DocumentCategory = enumeration('KnowledgeDocumentCategory', 'What a document is.', {
  CONTRACT: 'An agreement with a customer. Those about an account or its deals are the contracts of its page.',
  OTHER: 'Anything else.',
})
export type DocumentCategory = keyof typeof DocumentCategory

export const DocumentRecordType = enumeration(
  'KnowledgeDocumentRecordType',
  'Type of the record that a document is about.',
  {
    ACCOUNT: 'An account.',
    CONTACT: 'A contact.',
    LEAD: 'A lead.',
    OPPORTUNITY: 'An opportunity.',
    CASE: 'A case.',
  },
)
export type DocumentRecordType = keyof typeof DocumentRecordType

/** The name of the record type in the code of the platform. */
export const objectOf: Readonly<Record<DocumentRecordType, string>> = {
  ACCOUNT: 'account',
  CONTACT: 'contact',
  LEAD: 'lead',
  OPPORTUNITY: 'opportunity',
  CASE: 'case',
}

const endings: Readonly<Record<string, DocumentFormat>> = {
  txt: 'TEXT',
  text: 'TEXT',
  log: 'TEXT',
  md: 'MARKDOWN',
  markdown: 'MARKDOWN',
  csv: 'CSV',
  htm: 'HTML',
  html: 'HTML',
  pdf: 'PDF',
  docx: 'DOCX',
}

/** The format that the name of a file ends with; null if it names none. */
export function formatOf(name: string): DocumentFormat | null {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(endings, ending) ? endings[ending]! : null
}

export const mediaTypes: Readonly<Record<DocumentFormat, string>> = {
  TEXT: 'text/plain',
  MARKDOWN: 'text/markdown',
  CSV: 'text/csv',
  HTML: 'text/html',
  PDF: 'application/pdf',
  DOCX: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
}
