-- Whether objects of this store wait to be deleted. Reads rows until it finds one; there should be
-- none without such a store.
SELECT EXISTS (SELECT FROM ci_deleted_objects WHERE file_store = :file_store::int) AS wait
