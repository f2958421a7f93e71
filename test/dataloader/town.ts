import {
  DataTypes,
  Model,
  type Association,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';

export class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
  declare id: CreationOptional<number>;
  declare name: string | null;
  declare email: string;
  declare static associations: {
    posts: Association<User, Post>;
    profile: Association<User, Profile>;
  };
}

export class Post extends Model<InferAttributes<Post>, InferCreationAttributes<Post>> {
  declare id: CreationOptional<number>;
  declare title: string;
  declare status: CreationOptional<string>;
  declare authorId: number | null;
  declare author?: NonAttribute<User>;
  declare comments?: NonAttribute<Comment[]>;
  declare static associations: {
    author: Association<Post, User>;
    comments: Association<Post, Comment>;
    tags: Association<Post, Tag>;
  };
}

export class Comment extends Model<InferAttributes<Comment>, InferCreationAttributes<Comment>> {
  declare id: CreationOptional<number>;
  declare body: string;
  declare postId: number;
}

export class Profile extends Model<InferAttributes<Profile>, InferCreationAttributes<Profile>> {
  declare id: CreationOptional<number>;
  declare bio: string;
  declare userId: number;
  declare kind: CreationOptional<string>;
}

export class Tag extends Model<InferAttributes<Tag>, InferCreationAttributes<Tag>> {
  declare id: CreationOptional<number>;
  declare label: string;
  declare posts?: NonAttribute<Post[]>;
  declare PostTag?: NonAttribute<PostTag>;
  declare static associations: { posts: Association<Tag, Post> };
}

export class PostTag extends Model<InferAttributes<PostTag>, InferCreationAttributes<PostTag>> {
  declare postId: number;
  declare tagId: number;
  declare weight: number;
}

export const TABLES = [
  'CREATE TABLE users (id serial PRIMARY KEY, name text, email text UNIQUE NOT NULL)',
  `CREATE TABLE posts (id serial PRIMARY KEY, title text NOT NULL, status text NOT NULL DEFAULT 'open', author_id int REFERENCES users)`,
  'CREATE TABLE comments (id serial PRIMARY KEY, body text NOT NULL, post_id int NOT NULL REFERENCES posts)',
  `CREATE TABLE profiles (id serial PRIMARY KEY, bio text NOT NULL, kind text NOT NULL DEFAULT 'main', user_id int NOT NULL REFERENCES users)`,
  'CREATE TABLE tags (id serial PRIMARY KEY, label text NOT NULL)',
  'CREATE TABLE post_tags (post_id int REFERENCES posts, tag_id int REFERENCES tags, weight int NOT NULL, PRIMARY KEY (post_id, tag_id))',
  `INSERT INTO users (name, email) VALUES ('ann', 'ann@x'), ('bob', 'bob@x'), ('cy', 'cy@x')`,
  `INSERT INTO posts (title, status, author_id) VALUES ('a1', 'open', 1), ('a2', 'done', 1), ('b1', 'open', 2), ('lost', 'open', NULL)`,
  `INSERT INTO comments (body, post_id) VALUES ('c1', 1), ('c2', 1), ('c3', 3)`,
  `INSERT INTO profiles (bio, kind, user_id) VALUES ('other', 'old', 1), ('of ann', 'main', 1), ('of bob', 'main', 2)`,
  `INSERT INTO tags (label) VALUES ('red'), ('blue'), ('grey')`,
  'INSERT INTO post_tags (post_id, tag_id, weight) VALUES (1, 1, 5), (1, 2, 3), (2, 1, 1), (3, 1, 9)',
];

/** Binds the models of this file to an instance, and gives them. */
export function town(sequelize: Sequelize) {
  const options = { sequelize, timestamps: false, underscored: true } as const;
  const id = { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true } as const;
  User.init({ id, name: DataTypes.TEXT, email: { type: DataTypes.TEXT, unique: true } }, options);
  Post.init(
    {
      id,
      title: DataTypes.TEXT,
      status: { type: DataTypes.TEXT, defaultValue: 'open' },
      authorId: DataTypes.INTEGER,
    },
    options,
  );
  Comment.init({ id, body: DataTypes.TEXT, postId: DataTypes.INTEGER }, options);
  Profile.init(
    {
      id,
      bio: DataTypes.TEXT,
      kind: { type: DataTypes.TEXT, defaultValue: 'main' },
      userId: DataTypes.INTEGER,
    },
    options,
  );
  Tag.init({ id, label: DataTypes.TEXT }, options);
  PostTag.init(
    {
      postId: { type: DataTypes.INTEGER, primaryKey: true },
      tagId: { type: DataTypes.INTEGER, primaryKey: true },
      weight: DataTypes.INTEGER,
    },
    options,
  );
  User.hasMany(Post, { as: 'posts', foreignKey: 'authorId' });
  Post.belongsTo(User, { as: 'author', foreignKey: 'authorId' });
  Post.hasMany(Comment, { as: 'comments', foreignKey: 'postId' });
  User.hasOne(Profile, { as: 'profile', foreignKey: 'userId', scope: { kind: 'main' } });
  Post.belongsToMany(Tag, {
    as: 'tags',
    through: PostTag,
    foreignKey: 'postId',
    otherKey: 'tagId',
  });
  Tag.belongsToMany(Post, {
    as: 'posts',
    through: PostTag,
    foreignKey: 'tagId',
    otherKey: 'postId',
  });
  return { User, Post, Comment, Profile, Tag, PostTag };
}
