// What graphql-js suggests for misspelt names of fields, so that REST and the graph suggest the same.
export { suggestionList } from 'graphql/jsutils/suggestionList.js'
