import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { UniqueConstraintError, ValidationError } from 'sequelize';

/** The client asked for something that can't be: the message is for the client's eyes. */
export function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

export function notFound(what: string, id: number): GraphQLError {
  return new GraphQLError(`there is no ${what} with id ${id}`, {
    extensions: { code: 'NOT_FOUND' },
  });
}

/** Turns what the models refuse into client errors, and shows nothing of any other error. */
export function errorFormatter(log: (line: string) => void) {
  return (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const cause = unwrapResolverError(error);
    const { locations, path } = formatted;
    if (cause instanceof UniqueConstraintError) {
      const [taken] = cause.errors;
      const message = `the ${taken?.path ?? 'value'} ${JSON.stringify(taken?.value)} is taken`;
      return { message, locations, path, extensions: { code: 'CONFLICT' } };
    }
    if (cause instanceof ValidationError) {
      const message = cause.errors.map((item) => item.message).join('; ');
      return { message, locations, path, extensions: { code: 'BAD_USER_INPUT' } };
    }
    if (formatted.extensions?.['code'] !== 'INTERNAL_SERVER_ERROR') return formatted;
    log(
      `error   ${path?.join('.') ?? ''} ${cause instanceof Error ? cause.message : String(cause)}`,
    );
    return {
      message: 'something went wrong on our side',
      locations,
      path,
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    };
  };
}
